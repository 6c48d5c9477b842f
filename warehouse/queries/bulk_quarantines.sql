-- Grain: one chunk of a job, with the quarantine version that came into force with it, if any. Order: oldest first.
-- Parameters: job_id.
SELECT json_extract_string(payload, '$.quarantine') AS quarantine_id
FROM audit_log
WHERE action = 'bulk_worked' AND object = $job_id
ORDER BY sequence
