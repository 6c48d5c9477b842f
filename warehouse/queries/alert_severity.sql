-- Works the severity of a corpus's alerts out again, after something was said of its sources or documents. As the view
-- alert_folded says. Parameters: corpus_id.
UPDATE alert_current
SET severity = 40 * least(1.0, coalesce(alert_current.score, 0) / (2 * alert_current.threshold))
             + 25 * least(1.0, log10(1 + alert_current.in_context) / 2)
             + 15 * least(1.0, (alert_current.campaign_size - 1) / 4)
             + 10 * risk.distrust + 10 * (risk.tier - 1) / 2
FROM alert_risk AS risk
WHERE risk.alert_id = alert_current.alert_id AND alert_current.corpus_id = $corpus_id
