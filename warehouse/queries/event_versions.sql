-- Appends a version of origin 'event' for every ranked text of the registered relation ranked that the corpus does not
-- hold under that document id. Parameters: batch_id, now.
INSERT INTO document_versions BY NAME
WITH unknown AS (
    SELECT ranked.corpus_id, ranked.document_id, ranked.content_hash, any_value(ranked.text) AS text,
           min(ranked.tenant) AS tenant, min(ranked.event_id) AS first_event, min(ranked."rank") AS first_rank
    FROM ranked
    ANTI JOIN document_versions AS held
      ON held.corpus_id = ranked.corpus_id AND held.document_id = ranked.document_id
         AND held.content_hash = ranked.content_hash
    WHERE ranked.given_version IS NULL AND ranked.content_hash IS NOT NULL
    GROUP BY ranked.corpus_id, ranked.document_id, ranked.content_hash
)
SELECT row_number() OVER (ORDER BY first_event, first_rank, content_hash)
           + (SELECT coalesce(max(version_id), 0) FROM document_versions) AS version_id,
       corpus_id, document_id, 0 AS version_no, 'event' AS origin, content_hash, content_hash AS record_hash, '' AS title,
       text, '' AS source_uri, '' AS parent, '' AS contributor, tenant, []::VARCHAR[] AS acl, '' AS licence,
       '' AS batch_label, '{}' AS metadata, length(text)::INTEGER AS characters, $batch_id AS batch_id, $now AS ingested_at
FROM unknown
ORDER BY version_id
