-- Grain: one remediation step. Order: latest first.
-- Parameters: corpus (name or id), document_id (each empty = any), all_tenants, tenants.
SELECT steps.*, corpora.name AS corpus
FROM remediation_steps AS steps
JOIN corpora USING (corpus_id)
WHERE ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($document_id = '' OR steps.document_id = $document_id)
  AND ($all_tenants OR list_contains($tenants, steps.tenant))
ORDER BY steps.step_id DESC
