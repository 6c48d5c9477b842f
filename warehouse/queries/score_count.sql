-- Grain: one row. Parameters: scan_id, flagged (null = both), search (part of the document id, casefolded; empty = any),
-- all_tenants, tenants.
SELECT count(*) AS total
FROM scan_scores AS scores
WHERE scores.scan_id = $scan_id
  AND ($flagged IS NULL OR scores.flagged = $flagged)
  AND ($search = '' OR contains(lower(scores.document_id), $search))
  AND ($all_tenants OR list_contains($tenants, scores.tenant))
