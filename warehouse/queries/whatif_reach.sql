-- Grain: one ranked document version of an event of a corpus. Order: event, version. Parameters: corpus_id, all_tenants, tenants.
SELECT events.event_id, ranking.version_id
FROM retrieval_events AS events
JOIN event_ranking AS ranking USING (event_id)
WHERE events.corpus_id = $corpus_id AND ranking.version_id IS NOT NULL
  AND ($all_tenants OR list_contains($tenants, events.tenant))
ORDER BY events.event_id, ranking.version_id
