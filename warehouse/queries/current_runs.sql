-- Grain: one run of consecutive version ids among the current documents of a corpus. Order: first version.
-- As the view documents says, restricted before it groups. Parameters: corpus_id.
WITH latest AS (
    SELECT max(version_id) AS version_id
    FROM document_versions
    WHERE corpus_id = $corpus_id AND origin = 'ingest'
    GROUP BY document_id
), current AS (
    SELECT version_id, version_id - row_number() OVER (ORDER BY version_id) AS run
    FROM latest
    ANTI JOIN document_tombstones USING (version_id)
)
SELECT min(version_id), max(version_id)
FROM current
GROUP BY run
ORDER BY 1
