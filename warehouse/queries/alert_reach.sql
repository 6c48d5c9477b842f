-- Grain: one event that ranked a text. Order: latest first. At most 200.
-- Parameters: corpus_id, document_id, content_hash, all_tenants, tenants.
SELECT ranking.event_id, ranking."rank", ranking.in_context, ranking.removed_by, events.query_id, events.query_text,
       events.condition, events.tenant, events.source, events.state, events.occurred_at
FROM document_versions AS versions
JOIN event_ranking AS ranking USING (version_id)
JOIN retrieval_events AS events USING (event_id)
WHERE versions.corpus_id = $corpus_id AND versions.document_id = $document_id
  AND versions.content_hash = $content_hash
  AND ($all_tenants OR (list_contains($tenants, versions.tenant) AND list_contains($tenants, events.tenant)))
ORDER BY events.occurred_at DESC, ranking.event_id
LIMIT 200
