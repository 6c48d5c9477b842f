-- Grain: one candidate that RSQ did not flag. Order: event, rank. Parameters: corpus_id, all_tenants, tenants.
SELECT NULL::VARCHAR AS scan_id, evidence.event_id, evidence.version_id, versions.corpus_id, versions.document_id,
       versions.content_hash, versions.tenant, evidence.score, events.threshold
FROM retrieval_events AS events
JOIN candidate_evidence AS evidence USING (event_id)
JOIN document_versions AS versions USING (version_id)
WHERE events.corpus_id = $corpus_id AND NOT evidence.flagged
  AND ($all_tenants OR (list_contains($tenants, versions.tenant) AND list_contains($tenants, events.tenant)))
ORDER BY evidence.event_id, evidence."rank"
