-- Grain: one row of the audit chain about some objects. Order: oldest first. Parameters: objects.
SELECT sequence, acted_at, actor, action, object, payload, previous_hash, hash
FROM audit_log
WHERE object IN (SELECT unnest($objects::VARCHAR[]))
ORDER BY sequence
