-- Grain: one gated query with its counts. Order: latest first.
-- Parameters: corpus, state, mode (empty = any), since (null = ever), all_tenants, tenants, max_rows.
SELECT events.event_id, corpora.name AS corpus, events.tenant, events.query_id, events.query_text, events.query_hash,
       events.snapshot_id, events.index_version, events.quarantine_version, events.rule, events.state,
       json_extract_string(events.state_detail, '$.mode') AS mode,
       json_extract_string(events.state_detail, '$.reason') AS reason,
       events.latency_ms, events.refill_depth, events.occurred_at,
       coalesce(counts.ranked, 0) AS ranked, coalesce(counts.in_context, 0) AS in_context,
       coalesce(counts.removed, 0) AS removed,
       (SELECT count(*) FROM event_answers AS answers
        WHERE answers.event_id = events.event_id AND answers.tenant = events.tenant) AS answers
FROM retrieval_events AS events
JOIN corpora USING (corpus_id)
LEFT JOIN (
    SELECT event_id, count(*) AS ranked, count(*) FILTER (WHERE in_context) AS in_context,
           count(*) FILTER (WHERE removed_by <> '') AS removed
    FROM event_ranking
    GROUP BY event_id
) AS counts USING (event_id)
WHERE events.source = 'gate'
  AND ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($state = '' OR events.state = $state)
  AND ($mode = '' OR json_extract_string(events.state_detail, '$.mode') = $mode)
  AND ($since IS NULL OR events.occurred_at >= $since)
  AND ($all_tenants OR list_contains($tenants, events.tenant))
ORDER BY events.occurred_at DESC, events.event_id
LIMIT $max_rows
