-- Grain: one alert in its current state, with its corpus's name and admission policy, its risk tier and its holds that
-- nobody has ended (expired or not). Order: alert. Parameters: alert_ids, all_tenants, tenants.
WITH wanted AS (
    SELECT current.*, corpus_current.name AS corpus, corpus_current.admission
    FROM alert_current AS current
    JOIN corpus_current USING (corpus_id)
    WHERE current.alert_id IN (SELECT unnest($alert_ids::VARCHAR[]))
      AND ($all_tenants OR list_contains($tenants, current.tenant))
), open_holds AS (
    SELECT holds.alert_id, list(holds.hold_id ORDER BY holds.hold_id) AS holds
    FROM holds
    ANTI JOIN hold_ends USING (hold_id)
    GROUP BY holds.alert_id
)
SELECT wanted.*, coalesce(own.tier, whole.tier, 1) AS tier, coalesce(open_holds.holds, []) AS holds
FROM wanted
LEFT JOIN risk_tier_current AS own
  ON own.corpus_id = wanted.corpus_id AND own.document_id = wanted.document_id AND own.document_id <> ''
LEFT JOIN risk_tier_current AS whole ON whole.corpus_id = wanted.corpus_id AND whole.document_id = ''
LEFT JOIN open_holds USING (alert_id)
ORDER BY wanted.alert_id
