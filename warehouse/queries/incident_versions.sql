-- Grain: one version of a document with its text. Order: oldest first.
-- Parameters: corpus_id, document_id, all_tenants, tenants.
SELECT * FROM document_versions
WHERE corpus_id = $corpus_id AND document_id = $document_id AND ($all_tenants OR list_contains($tenants, tenant))
ORDER BY version_id
