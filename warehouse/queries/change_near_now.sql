-- Makes the temporary table near_now: neighbours in this scan, under a key that is the neighbour's version of the scan before
-- where it kept its text. Parameters: scan_id.
CREATE OR REPLACE TEMP TABLE near_now AS
SELECT neighbors.version_id, neighbors.neighbor_id,
       CASE WHEN other.same_text THEN other.previous_id ELSE neighbors.neighbor_id END AS text_key
FROM scan_neighbors AS neighbors
JOIN compared AS other ON other.version_id = neighbors.neighbor_id
WHERE neighbors.scan_id = $scan_id
