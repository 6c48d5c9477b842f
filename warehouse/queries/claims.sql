-- Grain: one claim. Order: latest first.
-- Parameters: claim_id, corpus (name or id), document_id (each empty = any), all_tenants, tenants.
SELECT claims.*, corpora.name AS corpus
FROM document_claims AS claims
JOIN corpora USING (corpus_id)
WHERE ($claim_id = '' OR claims.claim_id = $claim_id)
  AND ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($document_id = '' OR claims.document_id = $document_id)
  AND ($all_tenants OR list_contains($tenants, claims.tenant))
ORDER BY claims.claim_id DESC
