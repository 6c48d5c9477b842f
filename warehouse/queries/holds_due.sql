-- Grain: one open alert at or above a severity that was never held. Order: alert. Parameters: severity.
SELECT alert_id, corpus_id, document_id, tenant, severity
FROM alert_current
WHERE status IN ('open', 'claimed') AND severity >= $severity
  AND alert_id NOT IN (SELECT alert_id FROM holds WHERE alert_id IS NOT NULL)
ORDER BY alert_id
