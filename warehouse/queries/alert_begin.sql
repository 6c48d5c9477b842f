-- Appends the alerts of the temporary table folded that have no current state yet, in the state they were opened in.
INSERT INTO alert_current BY NAME
SELECT alerts.*, state.status, state.holder, state.expires_at, state.verdict, state.reason, state.actor AS state_actor,
       state.acted_at AS state_at, fresh.version, fresh.score, fresh.evidence, fresh.retrieved, fresh.in_context,
       fresh.last_evidence_at, fresh.campaign, fresh.campaign_size, fresh.severity
FROM (SELECT * FROM folded ANTI JOIN alert_current USING (alert_id)) AS fresh
JOIN alerts USING (alert_id)
JOIN alert_events AS state ON state.seq = fresh.state_seq
ORDER BY alerts.alert_id
