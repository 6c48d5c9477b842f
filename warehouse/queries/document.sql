-- Grain: the current version of one document, or none. Parameters: corpus_id, document_id, all_tenants, tenants.
SELECT *
FROM documents
WHERE corpus_id = $corpus_id AND document_id = $document_id AND NOT tombstoned
  AND ($all_tenants OR list_contains($tenants, tenant))
