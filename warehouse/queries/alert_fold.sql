-- Makes the temporary table folded: what the history says of the evidence of the alerts in the temporary table touched. As
-- the view alert_folded says, written apart because a filter on many ids would not reach below its aggregation.
CREATE OR REPLACE TEMP TABLE folded AS
SELECT history.*,
       40 * least(1.0, coalesce(history.score, 0) / (2 * alerts.threshold))
         + 25 * least(1.0, log10(1 + history.in_context) / 2)
         + 15 * least(1.0, (history.campaign_size - 1) / 4)
         + 10 * risk.distrust + 10 * (risk.tier - 1) / 2 AS severity
FROM (
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
) AS history
JOIN alerts USING (alert_id)
JOIN alert_risk AS risk USING (alert_id)
