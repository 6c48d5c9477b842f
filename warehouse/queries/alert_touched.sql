-- Makes the temporary table touched: alerts with a history row from a number on. Parameters: after.
CREATE OR REPLACE TEMP TABLE touched AS
SELECT DISTINCT alert_id
FROM alert_events
WHERE seq >= $after
