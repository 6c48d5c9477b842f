-- Grain: one scored candidate of the latest event of each question, condition, retriever and rule, with its label.
-- Order: event, rank. A label of that very question and condition comes before one of the document as a whole, and a
-- fixture before a reviewer. Parameters: corpus (name or id, empty = any), all_tenants, tenants.
WITH chosen AS (
    SELECT events.*, corpora.name AS corpus
    FROM retrieval_events AS events
    JOIN corpora USING (corpus_id)
    WHERE ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
      AND ($all_tenants OR list_contains($tenants, events.tenant))
    QUALIFY row_number() OVER (
        PARTITION BY events.corpus_id, coalesce(events.encoder_key, ''), events.rule, events.query_hash, events.condition
        ORDER BY events.occurred_at DESC, events.event_id DESC) = 1
), exact AS (
    SELECT corpus_id, document_id, query_id, condition,
           coalesce(bool_or(poison) FILTER (WHERE provenance = 'fixture'), bool_or(poison)) AS poison,
           coalesce(max(attack), '') AS attack
    FROM labels
    WHERE query_id <> '' AND condition <> ''
    GROUP BY ALL
), whole AS (
    SELECT corpus_id, document_id,
           coalesce(bool_or(poison) FILTER (WHERE provenance = 'fixture'), bool_or(poison)) AS poison,
           coalesce(max(attack) FILTER (WHERE poison), '') AS attack
    FROM labels
    GROUP BY ALL
)
SELECT chosen.corpus, coalesce(chosen.encoder_key, '') AS retriever, chosen.rule, chosen.event_id, chosen.query_id,
       chosen.query_hash, chosen.condition, evidence."rank", evidence.document_id, evidence.version_id,
       evidence.e_anchor, evidence.e_script, evidence.e_surprisal, evidence.e_alignment, evidence.score,
       evidence.flagged, coalesce(exact.poison, whole.poison) AS poison,
       coalesce(nullif(exact.attack, ''), nullif(whole.attack, ''), nullif(chosen.condition, ''), '') AS attack
FROM chosen
JOIN candidate_evidence AS evidence USING (event_id)
LEFT JOIN document_versions AS versions USING (version_id)
LEFT JOIN exact ON exact.corpus_id = chosen.corpus_id AND exact.document_id = evidence.document_id
               AND exact.query_id = chosen.query_id AND exact.condition = chosen.condition
LEFT JOIN whole ON whole.corpus_id = chosen.corpus_id AND whole.document_id = evidence.document_id
WHERE evidence.score IS NOT NULL
  AND ($all_tenants OR versions.version_id IS NULL OR list_contains($tenants, versions.tenant))
ORDER BY chosen.event_id, evidence."rank"
