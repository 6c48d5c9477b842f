-- Grain: one bulk job with its counts so far. Order: latest first. Parameters: job_id (empty = all).
SELECT jobs.*, coalesce(counted.done, 0) AS done, coalesce(counted.refused, 0) AS refused,
       jobs.items - coalesce(counted.done, 0) - coalesce(counted.refused, 0) AS "left"
FROM bulk_jobs AS jobs
LEFT JOIN (
    SELECT job_id, count(*) FILTER (WHERE outcome = 'done') AS done,
           count(*) FILTER (WHERE outcome = 'refused') AS refused
    FROM bulk_results GROUP BY job_id
) AS counted USING (job_id)
WHERE $job_id = '' OR jobs.job_id = $job_id
ORDER BY jobs.job_id DESC
