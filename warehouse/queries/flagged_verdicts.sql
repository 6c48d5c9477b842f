-- Grain: one row over the alerts of a detector. Parameters: corpus_id, detector, all_tenants, tenants.
SELECT count(*) FILTER (WHERE verdict = 'quarantine') AS found,
       count(*) FILTER (WHERE verdict IS NULL OR verdict NOT IN ('quarantine', 'keep')) AS undecided
FROM alert_current
WHERE corpus_id = $corpus_id AND detector = $detector AND ($all_tenants OR list_contains($tenants, tenant))
