-- Grain: one judgement of the registered relation asked that differs from the latest stored one. Order: query, document.
-- Parameters: corpus_id.
WITH latest AS (
    SELECT query_id, document_id, arg_max(relevance, acted_at) AS relevance
    FROM qrels
    WHERE corpus_id = $corpus_id
    GROUP BY query_id, document_id
)
SELECT asked.query_id, asked.document_id, asked.relevance
FROM asked
LEFT JOIN latest USING (query_id, document_id)
WHERE latest.relevance IS NULL OR latest.relevance <> asked.relevance
ORDER BY asked.query_id, asked.document_id
