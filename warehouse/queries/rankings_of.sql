-- Grain: one ranked document of some events. Order: event, rank. Parameters: event_ids.
SELECT event_id, document_id
FROM event_ranking
WHERE event_id IN (SELECT unnest($event_ids::VARCHAR[]))
ORDER BY event_id, "rank"
