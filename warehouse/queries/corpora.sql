-- Grain: one corpus. Order: name. For a caller of all tenants the documents are those of the latest snapshot, which every
-- change makes; for others they are counted.
-- Parameters: all_tenants, tenants.
WITH latest AS (
    SELECT corpus_id, arg_max(snapshot_id, sequence) AS snapshot_id, arg_max(documents, sequence) AS documents
    FROM snapshots
    GROUP BY corpus_id
), visible AS (
    SELECT versions.corpus_id, count(*) AS documents
    FROM latest
    JOIN snapshot_members AS members USING (snapshot_id)
    JOIN document_versions AS versions
      ON versions.version_id BETWEEN members.first_version AND members.last_version
    WHERE NOT $all_tenants AND list_contains($tenants, versions.tenant)
    GROUP BY versions.corpus_id
)
SELECT corpus_id, name, admission,
       coalesce(CASE WHEN $all_tenants THEN latest.documents ELSE visible.documents END, 0) AS documents, snapshot_id
FROM corpus_current
LEFT JOIN latest USING (corpus_id)
LEFT JOIN visible USING (corpus_id)
WHERE $all_tenants OR visible.documents > 0
ORDER BY name
