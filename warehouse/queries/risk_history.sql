-- Grain: one risk tier. Order: latest first. Parameters: corpus_id, all_tenants, tenants.
SELECT stated.*, stated.seq IN (SELECT seq FROM risk_tier_current) AS in_force
FROM risk_tiers AS stated
WHERE stated.corpus_id = $corpus_id
  AND ($all_tenants OR stated.document_id = '' OR EXISTS (
      SELECT 1 FROM documents
      WHERE documents.corpus_id = stated.corpus_id AND documents.document_id = stated.document_id
        AND list_contains($tenants, documents.tenant)))
ORDER BY stated.seq DESC
