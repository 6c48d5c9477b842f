-- Grain: one version of the registered relation wanted_versions that has a vector, with its place. Order: version_id.
-- A version can stand in two files after a crash between them; the smaller segment id is taken.
-- Parameters: encoder_key.
SELECT version_id, min(segment_id) AS segment_id, arg_min("row", segment_id) AS "row"
FROM wanted_versions
JOIN (SELECT segment_id,
             unnest(range(first_version, first_version + row_count)) AS version_id,
             unnest(range(first_row, first_row + row_count)) AS "row"
      FROM embedding_rows WHERE encoder_key = $encoder_key) AS held USING (version_id)
GROUP BY version_id
ORDER BY version_id
