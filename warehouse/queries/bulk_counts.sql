-- Grain: one outcome and reason of a job. Order: outcome, reason. Parameters: job_id.
SELECT outcome, reason, count(*) AS items
FROM bulk_results
WHERE job_id = $job_id
GROUP BY outcome, reason
ORDER BY outcome, reason
