-- Appends one history row per new alert (opened) and one per piece of evidence of the temporary table fed.
-- Parameters: actor, rule, now, first_seq.
INSERT INTO alert_events BY NAME
WITH steps AS (
    SELECT DISTINCT alert_id, 0 AS step, 'opened' AS kind, 'open' AS status, NULL::DOUBLE AS score,
           NULL::VARCHAR AS scan_id, NULL::VARCHAR AS event_id, NULL::VARCHAR AS campaign, NULL::INTEGER AS campaign_size
    FROM fed
    WHERE is_new
    UNION ALL
    SELECT alert_id, 1, 'evidence', NULL, score, scan_id, event_id, campaign, campaign_size
    FROM fed
)
SELECT $first_seq + row_number() OVER (ORDER BY step, alert_id, event_id) AS seq,
       alert_id, $now AS acted_at, $actor AS actor, kind, status, score, scan_id, event_id, $rule AS rule, campaign,
       campaign_size, '{}' AS payload
FROM steps
ORDER BY seq
