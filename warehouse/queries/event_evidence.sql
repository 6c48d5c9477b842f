-- Grain: one flagged candidate of the given events whose version is known. Order: event, rank. Parameters: event_ids.
SELECT version_id, score, NULL::VARCHAR AS scan_id, event_id, NULL::VARCHAR AS campaign, NULL::INTEGER AS campaign_size
FROM candidate_evidence
WHERE flagged AND version_id IS NOT NULL AND score IS NOT NULL AND event_id IN (SELECT unnest($event_ids))
ORDER BY event_id, "rank"
