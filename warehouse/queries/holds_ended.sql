-- Grain: one hold that the last decision on its alert ended and whose time is not over. Order: hold.
-- Parameters: alert_ids, now.
SELECT holds.hold_id, holds.alert_id
FROM holds
JOIN hold_ends AS ended USING (hold_id)
WHERE ended.cause = 'decided' AND holds.expires_at > $now AND holds.alert_id IN (SELECT unnest($alert_ids::VARCHAR[]))
  AND ended.acted_at = (SELECT max(later.acted_at) FROM hold_ends AS later JOIN holds AS own USING (hold_id)
                        WHERE own.alert_id = holds.alert_id AND later.cause = 'decided')
ORDER BY holds.hold_id
