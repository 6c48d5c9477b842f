-- Grain: one quarantined document, all tenants. Order: corpus, document.
SELECT DISTINCT corpora.name, members.document_id
FROM quarantine_current
JOIN quarantine_members AS members USING (quarantine_id)
JOIN corpora ON corpora.corpus_id = members.corpus_id
ORDER BY 1, 2
