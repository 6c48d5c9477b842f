-- Appends the steps of the registered relation "steps" to the history of their alerts.
INSERT INTO alert_events BY NAME
SELECT * FROM steps ORDER BY seq
