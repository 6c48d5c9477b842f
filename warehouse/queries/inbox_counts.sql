-- Grain: one row of counts over the segments that were taken in or refused. No parameters.
SELECT count(*) FILTER (WHERE state = 'taken') AS taken, count(*) FILTER (WHERE state = 'refused') AS refused,
       max(taken_at) AS last_at
FROM inbox_segments
