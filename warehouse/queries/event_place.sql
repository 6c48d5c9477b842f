-- Makes the temporary table placed_ranking: the registered relation ranked with the version of each document: the one
-- given, else the latest with the ranked text, else (no text given) the document's current one.
CREATE OR REPLACE TEMP TABLE placed_ranking AS
WITH by_text AS (
    SELECT ranked.event_id, ranked."rank", max(held.version_id) AS version_id
    FROM ranked
    JOIN document_versions AS held
      ON held.corpus_id = ranked.corpus_id AND held.document_id = ranked.document_id
         AND held.content_hash = ranked.content_hash
    GROUP BY ranked.event_id, ranked."rank"
), by_id AS (
    SELECT ranked.event_id, ranked."rank", max(held.version_id) AS version_id
    FROM ranked
    JOIN document_versions AS held
      ON held.corpus_id = ranked.corpus_id AND held.document_id = ranked.document_id AND held.origin = 'ingest'
    WHERE ranked.content_hash IS NULL
    GROUP BY ranked.event_id, ranked."rank"
)
SELECT ranked.event_id, ranked."rank", ranked.document_id,
       coalesce(ranked.given_version, by_text.version_id, by_id.version_id) AS version_id,
       ranked.similarity, ranked.in_context, ranked.removed_by
FROM ranked
LEFT JOIN by_text ON by_text.event_id = ranked.event_id AND by_text."rank" = ranked."rank"
LEFT JOIN by_id ON by_id.event_id = ranked.event_id AND by_id."rank" = ranked."rank"
