-- Grain: one row. Parameters: corpus, state, condition, query_id, document_id (empty = any), flagged
-- (null = both), all_tenants, tenants.
SELECT count(*) AS total
FROM retrieval_events AS events
JOIN corpora USING (corpus_id)
WHERE ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($state = '' OR events.state = $state)
  AND ($condition = '' OR events.condition = $condition)
  AND ($query_id = '' OR events.query_id = $query_id)
  AND ($document_id = '' OR events.event_id IN (SELECT event_id FROM event_ranking WHERE document_id = $document_id))
  AND ($flagged IS NULL
       OR (events.event_id IN (SELECT event_id FROM candidate_evidence WHERE flagged)) = $flagged)
  AND ($all_tenants OR list_contains($tenants, events.tenant))
