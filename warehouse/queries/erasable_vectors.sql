-- Grain: one stored vector of the given versions. Order: segment, row. Parameters: versions.
SELECT segment_id, "row"
FROM (SELECT segment_id,
             unnest(range(first_version, first_version + row_count)) AS version_id,
             unnest(range(first_row, first_row + row_count)) AS "row"
      FROM embedding_rows)
WHERE list_contains($versions, version_id)
ORDER BY segment_id, "row"
