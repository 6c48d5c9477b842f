-- Grain: one history row of an alert, sightings left out. Order: oldest first. Parameters: alert_id.
SELECT seq, acted_at, actor, kind, status, holder, expires_at, verdict, reason, note, score, scan_id, event_id, rule,
       campaign, campaign_size, payload
FROM alert_events
WHERE alert_id = $alert_id AND kind <> 'reach'
ORDER BY seq
