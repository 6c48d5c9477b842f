-- Makes the temporary table placed: one row per staged record with the version it has or will get.
-- is_new: the first record of its id whose content is not the current version's.
-- Parameters: corpus_id.
CREATE OR REPLACE TEMP TABLE placed AS
WITH firsts AS (
    SELECT document_id, min(ordinal) AS ordinal
    FROM stage
    GROUP BY document_id
), latest AS (
    SELECT max(version_id) AS version_id
    FROM document_versions
    SEMI JOIN firsts USING (document_id)
    WHERE corpus_id = $corpus_id AND origin = 'ingest'
    GROUP BY document_id
), known AS (
    SELECT document_id, version_id, version_no, record_hash,
           version_id IN (SELECT version_id FROM document_tombstones) AS tombstoned
    FROM document_versions
    SEMI JOIN latest USING (version_id)
), compared AS (
    SELECT stage.ordinal, stage.document_id, stage.record_hash, known.version_id AS known_version,
           coalesce(known.version_no, 0) + 1 AS version_no,
           firsts.ordinal IS NOT NULL
               AND (known.version_id IS NULL OR known.tombstoned OR known.record_hash <> stage.record_hash) AS is_new
    FROM stage
    LEFT JOIN firsts ON firsts.document_id = stage.document_id AND firsts.ordinal = stage.ordinal
    LEFT JOIN known ON known.document_id = stage.document_id
), fresh AS (
    SELECT ordinal,
           row_number() OVER (ORDER BY ordinal) + (SELECT coalesce(max(version_id), 0) FROM document_versions) AS version_id
    FROM compared
    WHERE is_new
)
SELECT compared.ordinal, compared.document_id, compared.record_hash, compared.is_new, compared.version_no,
       coalesce(fresh.version_id, compared.known_version) AS version_id
FROM compared
LEFT JOIN fresh USING (ordinal)
