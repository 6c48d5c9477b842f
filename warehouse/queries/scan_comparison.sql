-- Grain: one row, or none: what a scan changed for the caller's documents. Parameters: scan_id, all_tenants, tenants.
SELECT any_value(previous_id) AS previous, sum(documents)::BIGINT AS documents, sum(added)::BIGINT AS added,
       sum(removed)::BIGINT AS removed, sum(changed)::BIGINT AS changed, sum(new_alerts)::BIGINT AS new_alerts,
       sum(alerts_gone)::BIGINT AS alerts_gone, sum(moved)::BIGINT AS moved
FROM scan_comparisons
WHERE scan_id = $scan_id AND ($all_tenants OR list_contains($tenants, tenant))
HAVING count(*) > 0
