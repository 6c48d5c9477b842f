-- Grain: one row of the audit log. Order: oldest first. Parameters: first (sequence from which on).
SELECT sequence, acted_at, actor, action, object, payload, previous_hash, hash
FROM audit_log
WHERE sequence >= $first
ORDER BY sequence
