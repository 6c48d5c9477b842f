-- Grain: one member of a quarantine version. Order: corpus, document. Parameters: quarantine_id (empty = the one in
-- force), corpus (name or id, empty = any), all_tenants, tenants.
SELECT members.quarantine_id, corpora.name AS corpus, members.document_id, members.tenant, members.content_hash,
       members.alert_id
FROM quarantine_members AS members
JOIN corpora USING (corpus_id)
WHERE (CASE WHEN $quarantine_id = '' THEN members.quarantine_id IN (SELECT quarantine_id FROM quarantine_current)
            ELSE members.quarantine_id = $quarantine_id END)
  AND ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($all_tenants OR list_contains($tenants, members.tenant))
ORDER BY corpora.name, members.document_id
