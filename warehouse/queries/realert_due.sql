-- Grain: one kept or released alert with evidence since that its allow-list does not cover. Order: alert.
-- Parameters: now, margin (share of the threshold), members.
-- A score is compared with the highest one that the same detector version had given when the text was looked at.
WITH quiet AS (
    SELECT alert_id, threshold, detector, state_at
    FROM alert_current
    WHERE last_evidence_at > state_at AND (status = 'closed' OR (status = 'decided' AND verdict = 'keep'))
), fresh AS (
    SELECT quiet.alert_id, quiet.threshold, steps.score, coalesce(steps.campaign_size, 1) AS campaign_size,
           concat_ws(':', quiet.detector, steps.rule, coalesce(scans.config_key, events.config_key, '')) AS rule_key
    FROM quiet
    JOIN alert_events AS steps ON steps.alert_id = quiet.alert_id AND steps.kind = 'evidence'
                                  AND steps.acted_at > quiet.state_at
    LEFT JOIN scans ON scans.scan_id = steps.scan_id
    LEFT JOIN retrieval_events AS events ON events.event_id = steps.event_id
), allowed AS (
    SELECT alert_id, rule_key, max(expires_at) AS expires_at, max(score) AS score, max(campaign_size) AS campaign_size
    FROM allow_list
    GROUP BY alert_id, rule_key
), judged AS (
    SELECT fresh.*,
           CASE WHEN allowed.alert_id IS NULL THEN 'detector_version'
                WHEN allowed.expires_at <= $now THEN 'expired'
                WHEN fresh.score > allowed.score + $margin * fresh.threshold THEN 'score'
                WHEN fresh.campaign_size >= allowed.campaign_size + $members THEN 'campaign'
                ELSE '' END AS cause
    FROM fresh
    LEFT JOIN allowed USING (alert_id, rule_key)
)
SELECT alert_id, arg_max(rule_key, score) AS rule_key, max(score) AS score, arg_max(cause, score) AS cause
FROM judged
WHERE cause <> ''
GROUP BY alert_id
ORDER BY alert_id
