-- Grain: one result of a canary run. Order: what is still present first, then document, event.
-- Parameters: run_id, all_tenants, tenants.
SELECT results.*, corpora.name AS corpus, events.query_id, events.query_text, events.occurred_at
FROM canary_results AS results
JOIN corpora USING (corpus_id)
JOIN retrieval_events AS events USING (event_id)
WHERE results.run_id = $run_id
  AND ($all_tenants OR (list_contains($tenants, results.tenant) AND list_contains($tenants, results.event_tenant)))
ORDER BY results.outcome <> 'still_present', results.outcome, corpora.name, results.document_id, results.event_id
