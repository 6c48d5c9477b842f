-- Grain: source of events recorded in a period (gate, query, replay). Order: source. Fallback: an answer for which RSQ
-- said nothing because of the service itself: unscored, not_in_force or error. Latency is null where none was stored.
-- Parameters: since (UTC), all_tenants, tenants.
SELECT source, count(*) AS events,
       count(*) FILTER (WHERE state = 'tail_contaminated') AS tail_contaminated,
       count(*) FILTER (WHERE state = 'tail_contaminated') / count(*) AS tail_contaminated_rate,
       count(*) FILTER (WHERE state IN ('unscored', 'not_in_force', 'error')) AS fallback,
       count(*) FILTER (WHERE state IN ('unscored', 'not_in_force', 'error')) / count(*) AS fallback_rate,
       count(*) FILTER (WHERE state = 'partly_unscored') AS partly_unscored,
       quantile_cont(latency_ms, 0.5) AS latency_p50_ms, quantile_cont(latency_ms, 0.95) AS latency_p95_ms
FROM retrieval_events
WHERE recorded_at >= $since::TIMESTAMP AND ($all_tenants OR list_contains($tenants, tenant))
GROUP BY source
ORDER BY source
