-- Grain: one policy version with its state. Order: latest first. Parameters: policy_id (empty = all).
-- state: waiting (for another person's approval), rejected, in_force (the last one published) or superseded.
SELECT versions.*, published.approved_by, published.acted_at AS published_at,
       CASE WHEN rejected.policy_id IS NOT NULL THEN 'rejected'
            WHEN published.policy_id IS NULL THEN 'waiting'
            WHEN versions.policy_id IN (SELECT policy_id FROM policy_current) THEN 'in_force'
            ELSE 'superseded' END AS state
FROM policy_versions AS versions
LEFT JOIN policy_events AS published ON published.policy_id = versions.policy_id AND published.kind = 'published'
LEFT JOIN policy_events AS rejected ON rejected.policy_id = versions.policy_id AND rejected.kind = 'rejected'
WHERE $policy_id = '' OR versions.policy_id = $policy_id
ORDER BY versions.sequence DESC
