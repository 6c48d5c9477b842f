-- Grain: one scored candidate of any event of one retriever and rule, with label and verdict. Order: event, rank.
-- Parameters: corpus (name or id), retriever (encoder key, empty = without one; null = any), rule, all_tenants, tenants.
WITH exact AS (
    SELECT corpus_id, document_id, query_id, condition,
           coalesce(bool_or(poison) FILTER (WHERE provenance = 'fixture'), bool_or(poison)) AS poison
    FROM labels
    WHERE query_id <> '' AND condition <> ''
    GROUP BY ALL
), whole AS (
    SELECT corpus_id, document_id,
           coalesce(bool_or(poison) FILTER (WHERE provenance = 'fixture'), bool_or(poison)) AS poison,
           bool_or(provenance = 'fixture') AS fixture, max(1 / sampling_probability) AS weight
    FROM labels
    GROUP BY ALL
)
SELECT events.event_id, events.query_id, events.query_hash, events.condition, events.config, events.occurred_at,
       evidence."rank", evidence.document_id, evidence.e_anchor, evidence.e_script, evidence.e_surprisal,
       evidence.e_alignment, evidence.score, evidence.flagged, coalesce(exact.poison, whole.poison) AS poison,
       coalesce(whole.fixture, false) AS fixture, whole.weight, alerts.verdict
FROM retrieval_events AS events
JOIN corpora USING (corpus_id)
JOIN candidate_evidence AS evidence USING (event_id)
LEFT JOIN document_versions AS versions USING (version_id)
LEFT JOIN exact ON exact.corpus_id = events.corpus_id AND exact.document_id = evidence.document_id
               AND exact.query_id = events.query_id AND exact.condition = events.condition
LEFT JOIN whole ON whole.corpus_id = events.corpus_id AND whole.document_id = evidence.document_id
LEFT JOIN alert_current AS alerts
  ON alerts.corpus_id = events.corpus_id AND alerts.document_id = evidence.document_id
     AND alerts.content_hash = versions.content_hash AND alerts.detector = 'rsq'
WHERE $corpus IN (corpora.name, corpora.corpus_id) AND events.rule = $rule AND evidence.score IS NOT NULL
  AND ($retriever IS NULL OR coalesce(events.encoder_key, '') = $retriever)
  AND ($all_tenants OR (list_contains($tenants, events.tenant)
                        AND (versions.version_id IS NULL OR list_contains($tenants, versions.tenant))))
ORDER BY events.event_id, evidence."rank"
