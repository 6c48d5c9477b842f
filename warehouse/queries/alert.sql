-- Grain: one alert in its current state, or none, with its corpus's admission policy and its holds that nobody has ended
-- (expired or not). Parameters: alert_id, all_tenants, tenants.
SELECT current.*, corpus_current.name AS corpus, corpus_current.admission,
       (SELECT coalesce(list(holds.hold_id ORDER BY holds.hold_id), [])
        FROM holds ANTI JOIN hold_ends USING (hold_id) WHERE holds.alert_id = $alert_id) AS holds
FROM alert_current AS current
JOIN corpus_current USING (corpus_id)
WHERE current.alert_id = $alert_id AND ($all_tenants OR list_contains($tenants, current.tenant))
