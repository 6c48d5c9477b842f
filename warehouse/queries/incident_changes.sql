-- Grain: one change of a document's place in the quarantine, with what happened to the version. Order: version, step.
-- Parameters: corpus_id, document_id, all_tenants, tenants.
SELECT changes.*, versions.sequence, versions.parent_id, steps.kind, steps.actor, steps.approved_by, steps.acted_at
FROM quarantine_changes AS changes
JOIN quarantine_versions AS versions USING (quarantine_id)
JOIN quarantine_events AS steps USING (quarantine_id)
WHERE changes.corpus_id = $corpus_id AND changes.document_id = $document_id
  AND ($all_tenants OR list_contains($tenants, changes.tenant))
ORDER BY versions.sequence, steps.seq
