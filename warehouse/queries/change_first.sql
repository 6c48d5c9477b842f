-- Appends the counts of a scan that has none before it, one row per tenant. Parameters: scan_id.
INSERT INTO scan_comparisons BY NAME
SELECT $scan_id AS scan_id, NULL::VARCHAR AS previous_id, tenant, count(*) AS documents, count(*) AS added, 0 AS removed,
       0 AS changed, count(*) FILTER (WHERE flagged) AS new_alerts, 0 AS alerts_gone, 0 AS moved
FROM scan_scores
WHERE scan_id = $scan_id
GROUP BY tenant
ORDER BY tenant
