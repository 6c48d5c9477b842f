-- Grain: one step that set the state of an alert. Order: alert, oldest first. Parameters: alert_ids.
SELECT alert_id, seq, kind, actor, acted_at, status, holder, expires_at, verdict, reason, note, payload
FROM alert_events
WHERE status IS NOT NULL AND alert_id IN (SELECT unnest($alert_ids::VARCHAR[]))
ORDER BY alert_id, seq
