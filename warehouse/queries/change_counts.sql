-- Appends the comparison of a scan with the one before it, one row per tenant, from the temporary tables compared and
-- moved. Parameters: scan_id, previous_id.
INSERT INTO scan_comparisons BY NAME
SELECT $scan_id AS scan_id, $previous_id AS previous_id, tenant, count(version_id) AS documents,
       count(*) FILTER (WHERE previous_id IS NULL) AS added,
       count(*) FILTER (WHERE version_id IS NULL) AS removed,
       count(*) FILTER (WHERE NOT same_text AND version_id IS NOT NULL AND previous_id IS NOT NULL) AS changed,
       count(*) FILTER (WHERE flagged AND NOT flagged_before) AS new_alerts,
       count(*) FILTER (WHERE flagged_before AND NOT flagged) AS alerts_gone,
       count(*) FILTER (WHERE version_id IN (SELECT version_id FROM moved)) AS moved
FROM compared
GROUP BY tenant
ORDER BY tenant
