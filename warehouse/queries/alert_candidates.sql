-- Grain: one candidate row of a text with its event. Order: flagged first, then the highest score, which is what the
-- alert says of itself, then latest. At most 50.
-- Parameters: corpus_id, document_id, content_hash, all_tenants, tenants.
SELECT evidence.*, events.query_id, events.query_text, events.condition, events.tenant, events.rule, events.threshold,
       events.config, events.state, events.occurred_at, events.source
FROM document_versions AS versions
JOIN candidate_evidence AS evidence USING (version_id)
JOIN retrieval_events AS events USING (event_id)
WHERE versions.corpus_id = $corpus_id AND versions.document_id = $document_id
  AND versions.content_hash = $content_hash
  AND ($all_tenants OR (list_contains($tenants, versions.tenant) AND list_contains($tenants, events.tenant)))
ORDER BY evidence.flagged DESC, evidence.score DESC NULLS LAST, events.occurred_at DESC, evidence.event_id
LIMIT 50
