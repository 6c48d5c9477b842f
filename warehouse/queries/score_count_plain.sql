-- Grain: one row. Parameters: scan_id, flagged (null = both).
SELECT count(*) AS total
FROM scan_scores
WHERE scan_id = $scan_id AND ($flagged IS NULL OR flagged = $flagged)
