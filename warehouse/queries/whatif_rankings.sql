-- Grain: one ranked document of an event whose question has relevance judgements. Order: event, rank.
-- Parameters: corpus (name or id), retriever (encoder key, empty = without one; null = any), rule, all_tenants, tenants.
WITH latest AS (
    SELECT corpus_id, query_id, document_id, arg_max(relevance, acted_at) AS relevance
    FROM qrels
    GROUP BY ALL
), wanted AS (
    SELECT corpus_id, query_id, count(*) AS wanted FROM latest WHERE relevance > 0 GROUP BY ALL
)
SELECT events.event_id, ranking."rank", ranking.document_id,
       ranking.removed_by NOT IN ('', 'rsq', 'unscored') AS gone, coalesce(latest.relevance, 0) > 0 AS relevant,
       wanted.wanted
FROM retrieval_events AS events
JOIN corpora USING (corpus_id)
JOIN wanted USING (corpus_id, query_id)
JOIN event_ranking AS ranking USING (event_id)
LEFT JOIN document_versions AS versions USING (version_id)
LEFT JOIN latest ON latest.corpus_id = events.corpus_id AND latest.query_id = events.query_id
                AND latest.document_id = ranking.document_id
WHERE $corpus IN (corpora.name, corpora.corpus_id) AND events.rule = $rule
  AND ($retriever IS NULL OR coalesce(events.encoder_key, '') = $retriever)
  AND ($all_tenants OR (list_contains($tenants, events.tenant)
                        AND (versions.version_id IS NULL OR list_contains($tenants, versions.tenant))))
ORDER BY events.event_id, ranking."rank"
