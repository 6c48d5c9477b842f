-- Takes the salts of the audit rows of the batches that brought the given versions, so that their commitments tell nothing.
-- Parameters: versions.
DELETE FROM audit_salts
WHERE sequence IN (
    SELECT audit_log.sequence
    FROM audit_log
    JOIN document_versions AS versions ON versions.batch_id = audit_log.object
    WHERE list_contains($versions, versions.version_id)
)
