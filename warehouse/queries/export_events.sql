-- Grain: one ranked document of one retrieval event, with the event's own columns repeated. Order: event, rank.
-- Parameters: corpus (name or id, empty = any), all_tenants, tenants.
SELECT events.event_id, events.source, corpora.name AS corpus, events.tenant, events.query_id, events.query_text,
       events.query_hash, events.condition, events.snapshot_id, events.index_version, events.quarantine_version,
       events.encoder_key, events.rule, events.config_key, events.code_version, events.threshold, events.state,
       events.latency_ms, events.refill_depth, events.occurred_at, ranking."rank", ranking.document_id,
       ranking.version_id, ranking.similarity, ranking.in_context, ranking.removed_by
FROM retrieval_events AS events
JOIN corpora USING (corpus_id)
JOIN event_ranking AS ranking USING (event_id)
LEFT JOIN document_versions AS versions USING (version_id)
WHERE ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($all_tenants OR (list_contains($tenants, events.tenant)
                        AND (versions.version_id IS NULL OR list_contains($tenants, versions.tenant))))
ORDER BY events.event_id, ranking."rank"
