-- Grain: one staged record whose id a tenant outside the caller's set holds. Order: as read.
-- Parameters: corpus (name), tenants.
SELECT stage.ordinal, stage.file, stage.line, stage.document_id
FROM stage
JOIN documents USING (document_id)
JOIN corpora USING (corpus_id)
WHERE corpora.name = $corpus AND NOT documents.tombstoned AND NOT list_contains($tenants, documents.tenant)
ORDER BY stage.ordinal
