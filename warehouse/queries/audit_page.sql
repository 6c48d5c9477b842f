-- Grain: one row of the audit log. Order: newest first.
-- Parameters: action, actor, object (empty = any), limit, offset.
SELECT sequence, acted_at, actor, action, object, payload, previous_hash, hash
FROM audit_log
WHERE ($action = '' OR action = $action)
  AND ($actor = '' OR actor = $actor)
  AND ($object = '' OR object = $object)
ORDER BY sequence DESC
LIMIT $limit OFFSET $offset
