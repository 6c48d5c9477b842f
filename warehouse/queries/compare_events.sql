-- Grain: one event that a comparison of versions looks at. Order: event.
-- hidden: ranked documents that the caller may not see. would: JSON of what a gate in shadow mode would have done; the
-- ranking of such an event says what it did, which is nothing. Parameters: corpus_id, source, rule, condition, event_id (empty =
-- any), all_tenants, tenants.
WITH scores AS (
    SELECT event_id FROM candidate_evidence WHERE score IS NOT NULL GROUP BY event_id
), hidden AS (
    SELECT ranking.event_id, count(*) AS documents
    FROM event_ranking AS ranking
    JOIN document_versions AS versions USING (version_id)
    WHERE NOT $all_tenants AND NOT list_contains($tenants, versions.tenant)
    GROUP BY ranking.event_id
)
SELECT events.event_id, events.query_id, events.query_text, events.source, events.condition, events.rule, events.config,
       events.config_key, events.encoder_key, events.snapshot_id, events.model_versions, events.state, events.occurred_at,
       scores.event_id IS NOT NULL AS scored, coalesce(hidden.documents, 0) AS hidden,
       CASE WHEN json_extract_string(events.state_detail, '$.mode') = 'shadow'
            THEN json_extract(events.state_detail, '$.would')::VARCHAR END AS would
FROM retrieval_events AS events
LEFT JOIN scores ON scores.event_id = events.event_id
LEFT JOIN hidden ON hidden.event_id = events.event_id
WHERE events.corpus_id = $corpus_id
  AND ($source = '' OR events.source = $source)
  AND ($rule = '' OR events.rule = $rule)
  AND ($condition = '' OR events.condition = $condition)
  AND ($event_id = '' OR events.event_id = $event_id)
  AND ($all_tenants OR list_contains($tenants, events.tenant))
ORDER BY events.event_id
