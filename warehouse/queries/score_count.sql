-- Grain: one row. Parameters: scan_id, flagged (null = both), search, all_tenants, tenants.
SELECT count(*) AS total
FROM scan_scores AS scores
JOIN document_versions AS versions USING (version_id)
WHERE scores.scan_id = $scan_id
  AND ($flagged IS NULL OR scores.flagged = $flagged)
  AND ($search = '' OR contains(lower(versions.document_id), $search))
  AND ($all_tenants OR list_contains($tenants, versions.tenant))
