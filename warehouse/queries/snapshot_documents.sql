-- Grain: one visible member of a snapshot. Order: version_id.
-- Parameters: snapshot_id, texts (false: the text is left empty), all_tenants, tenants.
SELECT versions.version_id, versions.document_id, versions.title, versions.tenant, versions.content_hash, versions.acl,
       CASE WHEN $texts THEN versions.text ELSE '' END AS text,
       CASE WHEN versions.parent <> '' THEN versions.parent ELSE versions.source_uri END AS source
FROM (SELECT unnest(range(first_version, last_version + 1)) AS version_id
      FROM snapshot_members WHERE snapshot_id = $snapshot_id) AS members
JOIN document_versions AS versions USING (version_id)
WHERE $all_tenants OR list_contains($tenants, versions.tenant)
ORDER BY versions.version_id
