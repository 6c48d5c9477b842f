-- Grain: one member of a quarantine version. Order: corpus, document. Parameters: quarantine_id, all_tenants, tenants.
SELECT members.*, corpora.name AS corpus
FROM quarantine_members AS members
JOIN corpora USING (corpus_id)
WHERE members.quarantine_id = $quarantine_id AND ($all_tenants OR list_contains($tenants, members.tenant))
ORDER BY corpora.name, members.document_id
