-- Grain: one row. Parameters: action, actor, object (empty = any).
SELECT count(*) AS total
FROM audit_log
WHERE ($action = '' OR action = $action)
  AND ($actor = '' OR actor = $actor)
  AND ($object = '' OR object = $object)
