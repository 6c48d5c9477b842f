-- Appends kinds of evidence that are new to an alert, from the temporary table fed, whose evidence names its kinds.
-- Parameters: scan_id, now.
INSERT INTO alert_kinds BY NAME
SELECT found.alert_id, found.kind, $scan_id AS scan_id, $now AS since
FROM (SELECT DISTINCT alert_id, unnest(kinds) AS kind FROM fed) AS found
ANTI JOIN alert_kinds USING (alert_id, kind)
ORDER BY found.alert_id, found.kind
