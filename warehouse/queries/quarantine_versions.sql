-- Grain: one quarantine version with its state. Order: latest first. Parameters: quarantine_id (empty = all).
-- state: proposed, rejected, in_force (the last one published) or superseded.
SELECT versions.*, published.approved_by, published.acted_at AS published_at,
       CASE WHEN rejected.quarantine_id IS NOT NULL THEN 'rejected'
            WHEN published.quarantine_id IS NULL THEN 'proposed'
            WHEN versions.quarantine_id IN (SELECT quarantine_id FROM quarantine_current) THEN 'in_force'
            ELSE 'superseded' END AS state
FROM quarantine_versions AS versions
LEFT JOIN quarantine_events AS published
  ON published.quarantine_id = versions.quarantine_id AND published.kind = 'published'
LEFT JOIN quarantine_events AS rejected
  ON rejected.quarantine_id = versions.quarantine_id AND rejected.kind = 'rejected'
WHERE $quarantine_id = '' OR versions.quarantine_id = $quarantine_id
ORDER BY versions.sequence DESC
