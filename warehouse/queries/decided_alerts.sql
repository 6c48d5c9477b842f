-- Grain: one alert with a verdict that says promoted or not. Order: alert. Parameters: corpus_id, all_tenants, tenants.
SELECT alert_id, version_id, corpus_id, document_id, content_hash, tenant
FROM alert_current
WHERE corpus_id = $corpus_id AND verdict IN ('quarantine', 'keep')
  AND ($all_tenants OR list_contains($tenants, tenant))
ORDER BY alert_id
