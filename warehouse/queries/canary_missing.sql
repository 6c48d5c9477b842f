-- Grain: one row, the version in force, or none where a canary run of it is stored.
SELECT quarantine_id FROM quarantine_current ANTI JOIN canary_runs USING (quarantine_id)
