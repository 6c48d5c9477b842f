-- Grain: one alert in its current state, or none. Parameters: alert_id, all_tenants, tenants.
SELECT current.*, corpora.name AS corpus
FROM alert_current AS current
JOIN corpora USING (corpus_id)
WHERE current.alert_id = $alert_id AND ($all_tenants OR list_contains($tenants, current.tenant))
