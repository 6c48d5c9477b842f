-- Grain: one row over all events that ranked a text. Parameters: corpus_id, document_id, content_hash, all_tenants, tenants.
SELECT count(DISTINCT ranking.event_id) AS retrieved,
       count(DISTINCT ranking.event_id) FILTER (WHERE ranking.in_context) AS in_context,
       count(DISTINCT events.query_hash) AS queries, count(DISTINCT events.tenant) AS tenants,
       min(ranking."rank") AS best_rank, min(events.occurred_at) AS first_seen, max(events.occurred_at) AS last_seen
FROM document_versions AS versions
JOIN event_ranking AS ranking USING (version_id)
JOIN retrieval_events AS events USING (event_id)
WHERE versions.corpus_id = $corpus_id AND versions.document_id = $document_id
  AND versions.content_hash = $content_hash
  AND ($all_tenants OR (list_contains($tenants, versions.tenant) AND list_contains($tenants, events.tenant)))
