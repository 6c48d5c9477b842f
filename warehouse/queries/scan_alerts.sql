-- Grain: one detector with alerts that a scan opened or fed. Order: detector. Parameters: scan_id.
SELECT alerts.detector, count(DISTINCT alerts.alert_id) AS alerts
FROM alert_events AS events
JOIN alerts USING (alert_id)
WHERE events.scan_id = $scan_id
GROUP BY alerts.detector
ORDER BY alerts.detector
