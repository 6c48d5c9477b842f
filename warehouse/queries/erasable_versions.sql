-- Grain: one version of a document, of any origin. Order: version_id. Parameters: corpus_id, document_id, all_tenants, tenants.
SELECT version_id, content_hash
FROM document_versions
WHERE corpus_id = $corpus_id AND document_id = $document_id AND ($all_tenants OR list_contains($tenants, tenant))
ORDER BY version_id
