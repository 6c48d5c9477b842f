-- Grain: one document that a quarantine version adds, with the answers given since it was proposed whose context held the
-- document. Order: most answers first, then corpus, document. Parameters: quarantine_id, all_tenants, tenants.
SELECT corpora.name AS corpus, changes.document_id, count(DISTINCT events.event_id) AS answers,
       count(DISTINCT events.query_hash) AS queries, count(DISTINCT events.tenant) AS tenants,
       max(events.occurred_at) AS last_at
FROM quarantine_changes AS changes
JOIN quarantine_versions AS versions USING (quarantine_id)
JOIN corpora USING (corpus_id)
LEFT JOIN event_ranking AS ranking ON ranking.document_id = changes.document_id AND ranking.in_context
LEFT JOIN retrieval_events AS events
  ON events.event_id = ranking.event_id AND events.corpus_id = changes.corpus_id
     AND events.occurred_at >= versions.created_at AND ($all_tenants OR list_contains($tenants, events.tenant))
WHERE changes.quarantine_id = $quarantine_id AND changes.change = 'added'
  AND ($all_tenants OR list_contains($tenants, changes.tenant))
GROUP BY ALL
ORDER BY answers DESC, corpora.name, changes.document_id
