-- Sets the state columns of the alerts in the registered relation "steps", which names each at most once.
UPDATE alert_current
SET status = steps.status, holder = steps.holder, expires_at = steps.expires_at, verdict = steps.verdict,
    reason = steps.reason, state_actor = steps.actor, state_at = steps.acted_at, version = alert_current.version + 1
FROM steps
WHERE alert_current.alert_id = steps.alert_id
