-- Makes the temporary table touched: alerts with a history row after a seq. Parameters: after.
CREATE OR REPLACE TEMP TABLE touched AS
SELECT DISTINCT alert_id
FROM alert_events
WHERE seq > $after
