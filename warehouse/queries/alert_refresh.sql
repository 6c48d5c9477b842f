-- Appends to alert_current what the view alert_folded says of the alerts in the temporary table touched. Written apart from
-- the view because a filter on many ids would not reach below its aggregation.
INSERT INTO alert_current BY NAME
WITH history AS (
    SELECT alert_id,
           count(status) AS version,
           max(seq) FILTER (WHERE status IS NOT NULL) AS state_seq,
           max(score) AS score,
           count(score) AS evidence,
           coalesce(sum(retrieved), 0)::BIGINT AS retrieved,
           coalesce(sum(in_context), 0)::BIGINT AS in_context,
           max(acted_at) FILTER (WHERE score IS NOT NULL) AS last_evidence_at,
           arg_max(campaign, seq) AS campaign,
           coalesce(arg_max(campaign_size, seq), 1) AS campaign_size
    FROM alert_events
    SEMI JOIN touched USING (alert_id)
    GROUP BY alert_id
), state AS (
    SELECT seq, status, holder, expires_at, verdict, reason, actor, acted_at
    FROM alert_events
    SEMI JOIN touched USING (alert_id)
    WHERE status IS NOT NULL
)
SELECT alerts.*, state.status, state.holder, state.expires_at, state.verdict, state.reason, state.actor AS state_actor,
       state.acted_at AS state_at, history.version, history.score, history.evidence, history.retrieved, history.in_context,
       history.last_evidence_at, history.campaign, history.campaign_size,
       50 * least(1.0, history.score / (2 * alerts.threshold))
         + 30 * least(1.0, log10(1 + history.in_context) / 2)
         + 20 * least(1.0, (history.campaign_size - 1) / 4) AS severity
FROM history
JOIN alerts USING (alert_id)
JOIN state ON state.seq = history.state_seq
