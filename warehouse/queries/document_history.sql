-- Grain: one version of a document. Order: latest first. Parameters: corpus_id, document_id, all_tenants, tenants.
SELECT versions.version_id, versions.version_no, versions.origin, versions.content_hash, versions.title, versions.text,
       versions.source_uri, versions.parent, versions.contributor, versions.tenant, versions.acl, versions.licence,
       versions.batch_label, versions.metadata, versions.batch_id, versions.ingested_at,
       ended.reason AS tombstone_reason, ended.acted_at AS tombstoned_at
FROM document_versions AS versions
LEFT JOIN document_tombstones AS ended USING (version_id)
WHERE versions.corpus_id = $corpus_id AND versions.document_id = $document_id
  AND ($all_tenants OR list_contains($tenants, versions.tenant))
ORDER BY versions.version_id DESC
