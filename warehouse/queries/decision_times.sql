-- Grain: one alert with the hours from its opening to its first verdict. Order: alert.
-- Parameters: corpus (name or id, empty = any), all_tenants, tenants.
SELECT alerts.alert_id, date_diff('microsecond', alerts.opened_at, min(steps.acted_at)) / 3.6e9 AS hours
FROM alerts
JOIN alert_events AS steps ON steps.alert_id = alerts.alert_id AND steps.kind = 'decided'
JOIN corpora ON corpora.corpus_id = alerts.corpus_id
WHERE ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($all_tenants OR list_contains($tenants, alerts.tenant))
GROUP BY alerts.alert_id, alerts.opened_at
ORDER BY alerts.alert_id
