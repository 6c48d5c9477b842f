-- Grain: one run of consecutive version ids among the current documents of a corpus. Order: first version.
-- Parameters: corpus_id.
WITH current AS (
    SELECT version_id, version_id - row_number() OVER (ORDER BY version_id) AS run
    FROM documents
    WHERE corpus_id = $corpus_id AND NOT tombstoned
)
SELECT min(version_id), max(version_id)
FROM current
GROUP BY run
ORDER BY 1
