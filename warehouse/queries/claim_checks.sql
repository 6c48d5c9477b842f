-- Grain: one check of some claims. Order: latest first. Parameters: claim_ids.
SELECT * FROM truth_checks
WHERE claim_id IN (SELECT unnest($claim_ids::VARCHAR[]))
ORDER BY checked_at DESC, check_id DESC
