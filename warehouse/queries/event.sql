-- Grain: one event or none. Parameters: event_id, all_tenants, tenants.
SELECT events.*, corpora.name AS corpus
FROM retrieval_events AS events
JOIN corpora USING (corpus_id)
WHERE events.event_id = $event_id AND ($all_tenants OR list_contains($tenants, events.tenant))
