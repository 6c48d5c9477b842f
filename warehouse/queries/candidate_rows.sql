-- Grain: one candidate of one event. Order: event, rank. Parameters: corpus (name or id), rule (empty = any), all_tenants,
-- tenants.
SELECT events.event_id, events.query_id, events.condition, events.tenant, events.source, events.rule, events.threshold,
       events.state, events.occurred_at,
       evidence.* EXCLUDE (event_id, anchors, script_runs, surprisal, alignment, tail)
FROM candidate_evidence AS evidence
JOIN retrieval_events AS events USING (event_id)
JOIN corpora USING (corpus_id)
LEFT JOIN document_versions AS versions USING (version_id)
WHERE ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($rule = '' OR events.rule = $rule)
  AND ($all_tenants OR (list_contains($tenants, events.tenant)
                        AND (versions.version_id IS NULL OR list_contains($tenants, versions.tenant))))
ORDER BY events.event_id, evidence."rank"
