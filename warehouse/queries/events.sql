-- Grain: one retrieval event. Order: {order_by}, from the whitelist events.SORTS.
-- Parameters: corpus, state, condition, query_id, document_id (empty = any), flagged (null = both), limit, offset,
-- all_tenants, tenants.
WITH flags AS (
    SELECT event_id, count(*) AS candidates, count(*) FILTER (WHERE flagged) AS flagged,
           count(*) FILTER (WHERE removed) AS removed, max(score) AS top_score
    FROM candidate_evidence
    GROUP BY event_id
)
SELECT events.event_id, events.source, corpora.name AS corpus, events.tenant, events.query_id, events.query_text,
       events.condition, events.snapshot_id, events.quarantine_version, events.rule, events.threshold, events.state,
       events.latency_ms, events.occurred_at, coalesce(flags.candidates, 0) AS candidates,
       coalesce(flags.flagged, 0) AS flagged, coalesce(flags.removed, 0) AS removed, flags.top_score
FROM retrieval_events AS events
JOIN corpora USING (corpus_id)
LEFT JOIN flags USING (event_id)
WHERE ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($state = '' OR events.state = $state)
  AND ($condition = '' OR events.condition = $condition)
  AND ($query_id = '' OR events.query_id = $query_id)
  AND ($document_id = '' OR events.event_id IN (SELECT event_id FROM event_ranking WHERE document_id = $document_id))
  AND ($flagged IS NULL OR (coalesce(flags.flagged, 0) > 0) = $flagged)
  AND ($all_tenants OR list_contains($tenants, events.tenant))
ORDER BY {order_by}
LIMIT $limit OFFSET $offset
