-- Makes the temporary table near_before: neighbours in the scan before. Parameters: previous_id.
CREATE OR REPLACE TEMP TABLE near_before AS
SELECT version_id, neighbor_id FROM scan_neighbors WHERE scan_id = $previous_id
