-- Grain: detector and status. Order: detector, status. Parameters: all_tenants, tenants.
SELECT detector, status, count(*) AS alerts, min(opened_at) AS oldest
FROM alert_current
WHERE $all_tenants OR list_contains($tenants, tenant)
GROUP BY detector, status
ORDER BY detector, status
