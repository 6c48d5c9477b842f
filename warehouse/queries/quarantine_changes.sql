-- Grain: one document that a quarantine version adds to or removes from its parent. Order: corpus, document.
-- Parameters: quarantine_id.
SELECT changes.*, corpora.name AS corpus
FROM quarantine_changes AS changes
JOIN corpora USING (corpus_id)
WHERE changes.quarantine_id = $quarantine_id
ORDER BY corpora.name, changes.document_id
