-- Sets the state columns of one alert. Parameters: alert_id, now, actor, status, holder, expires_at, verdict, reason.
UPDATE alert_current
SET status = $status, holder = $holder, expires_at = $expires_at, verdict = $verdict, reason = $reason,
    state_actor = $actor, state_at = $now, version = version + 1
WHERE alert_id = $alert_id
