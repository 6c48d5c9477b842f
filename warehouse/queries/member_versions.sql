-- Grain: one visible member of a snapshot. Order: version_id. Parameters: snapshot_id, all_tenants, tenants.
SELECT versions.version_id
FROM (SELECT unnest(range(first_version, last_version + 1)) AS version_id
      FROM snapshot_members WHERE snapshot_id = $snapshot_id) AS members
JOIN document_versions AS versions USING (version_id)
WHERE $all_tenants OR list_contains($tenants, versions.tenant)
ORDER BY versions.version_id
