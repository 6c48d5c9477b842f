-- Grain: one candidate of an event. Order: rank. Parameters: event_id, all_tenants, tenants.
SELECT evidence.*
FROM candidate_evidence AS evidence
LEFT JOIN document_versions AS versions USING (version_id)
WHERE evidence.event_id = $event_id AND ($all_tenants OR versions.version_id IS NULL OR list_contains($tenants, versions.tenant))
ORDER BY evidence."rank"
