-- Grain: state of retrieval events. Order: state. Parameters: all_tenants, tenants.
SELECT state, count(*) AS events, quantile_cont(latency_ms, 0.95) AS latency_p95_ms
FROM retrieval_events
WHERE $all_tenants OR list_contains($tenants, tenant)
GROUP BY state
ORDER BY state
