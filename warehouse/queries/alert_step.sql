-- Appends one step to an alert's history.
-- Parameters: seq, alert_id, now, actor, kind, status, holder, expires_at, verdict, reason, note, payload.
INSERT INTO alert_events BY NAME
SELECT $seq AS seq, $alert_id AS alert_id, $now AS acted_at, $actor AS actor, $kind AS kind, $status AS status,
       $holder AS holder, $expires_at AS expires_at, $verdict AS verdict, $reason AS reason, $note AS note,
       $payload AS payload
