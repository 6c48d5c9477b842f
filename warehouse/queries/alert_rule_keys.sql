-- Grain: one detector version that gave evidence for an alert. Order: alert, rule key. Parameters: alert_ids.
-- rule_key: detector, preset and key over the configuration.
SELECT steps.alert_id, alerts.detector, alerts.corpus_id, alerts.document_id, alerts.content_hash,
       concat_ws(':', alerts.detector, steps.rule, coalesce(scans.config_key, events.config_key, '')) AS rule_key,
       max(steps.score) AS score, coalesce(max(steps.campaign_size), 1)::INTEGER AS campaign_size
FROM alert_events AS steps
JOIN alerts USING (alert_id)
LEFT JOIN scans ON scans.scan_id = steps.scan_id
LEFT JOIN retrieval_events AS events ON events.event_id = steps.event_id
WHERE steps.kind = 'evidence' AND steps.alert_id IN (SELECT unnest($alert_ids::VARCHAR[]))
GROUP BY ALL
ORDER BY steps.alert_id, rule_key
