-- Grain: one corpus. Order: name. Parameters: all_tenants, tenants.
WITH visible AS (
    SELECT corpus_id, count(*) AS documents
    FROM documents
    WHERE NOT tombstoned AND ($all_tenants OR list_contains($tenants, tenant))
    GROUP BY corpus_id
)
SELECT corpus_id, name, admission, coalesce(visible.documents, 0) AS documents,
       (SELECT arg_max(snapshots.snapshot_id, snapshots.sequence)
        FROM snapshots WHERE snapshots.corpus_id = corpus_current.corpus_id) AS snapshot_id
FROM corpus_current
LEFT JOIN visible USING (corpus_id)
WHERE $all_tenants OR visible.documents > 0
ORDER BY name
