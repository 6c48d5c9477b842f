-- Grain: one item of a job without a result. Order: position. Parameters: job_id, limit.
SELECT items.position, items.alert_id, items.expected_version
FROM bulk_items AS items
WHERE items.job_id = $job_id
  AND items.position NOT IN (SELECT position FROM bulk_results WHERE job_id = $job_id)
ORDER BY items.position
LIMIT $limit
