-- Grain: one ranked document of an event, with its text where the caller may see its version. Order: rank.
-- Parameters: event_id, all_tenants, tenants.
SELECT ranking."rank", ranking.document_id, ranking.version_id, ranking.similarity, ranking.in_context, ranking.removed_by,
       versions.title, versions.text, versions.source_uri, versions.contributor, versions.content_hash, versions.origin
FROM event_ranking AS ranking
LEFT JOIN document_versions AS versions
  ON versions.version_id = ranking.version_id AND ($all_tenants OR list_contains($tenants, versions.tenant))
WHERE ranking.event_id = $event_id AND ($all_tenants OR ranking.version_id IS NULL OR versions.version_id IS NOT NULL)
ORDER BY ranking."rank"
