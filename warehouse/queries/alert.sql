-- Grain: one alert in its current state, or none, with its corpus's admission policy, its risk tier and its holds that
-- nobody has ended (expired or not). Parameters: alert_id, all_tenants, tenants.
SELECT current.*, corpus_current.name AS corpus, corpus_current.admission,
       coalesce((SELECT tier FROM risk_tier_current AS own
                 WHERE own.corpus_id = current.corpus_id AND own.document_id = current.document_id
                   AND own.document_id <> ''),
                (SELECT tier FROM risk_tier_current AS whole
                 WHERE whole.corpus_id = current.corpus_id AND whole.document_id = ''), 1) AS tier,
       (SELECT coalesce(list(holds.hold_id ORDER BY holds.hold_id), [])
        FROM holds ANTI JOIN hold_ends USING (hold_id) WHERE holds.alert_id = $alert_id) AS holds
FROM alert_current AS current
JOIN corpus_current USING (corpus_id)
WHERE current.alert_id = $alert_id AND ($all_tenants OR list_contains($tenants, current.tenant))
