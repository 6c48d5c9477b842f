-- Grain: one snapshot or none: it exists for a caller who may see a member. Parameters: snapshot_id, all_tenants, tenants.
SELECT snapshots.*, corpora.name AS corpus
FROM snapshots
JOIN corpora USING (corpus_id)
WHERE snapshot_id = $snapshot_id
  AND ($all_tenants OR EXISTS (
      SELECT 1
      FROM (SELECT unnest(range(first_version, last_version + 1)) AS version_id
            FROM snapshot_members WHERE snapshot_id = $snapshot_id) AS members
      JOIN document_versions AS versions USING (version_id)
      WHERE list_contains($tenants, versions.tenant)))
