-- Grain: week (its Monday) and verdict of decisions as they were made, undone ones too. Order: week, verdict.
-- Parameters: since (UTC), all_tenants, tenants.
SELECT date_trunc('week', steps.acted_at)::DATE AS week, steps.verdict, count(*) AS decisions
FROM alert_events AS steps
JOIN alerts USING (alert_id)
WHERE steps.kind = 'decided' AND steps.acted_at >= $since::TIMESTAMP
  AND ($all_tenants OR list_contains($tenants, alerts.tenant))
GROUP BY ALL
ORDER BY week, steps.verdict
