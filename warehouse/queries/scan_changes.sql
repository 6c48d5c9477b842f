-- Grain: one document whose flag changed or whose density moved most. Order: new alerts, alerts gone, moved; strongest
-- first. Neighbours of other tenants are left out: their ids would tell that they exist.
-- Parameters: scan_id, most (rows of each kind), all_tenants, tenants.
WITH visible AS (
    SELECT *, row_number() OVER (
        PARTITION BY kind
        ORDER BY CASE kind WHEN 'new_alert' THEN score WHEN 'alert_gone' THEN score_before
                           ELSE abs(density - density_before) END DESC NULLS LAST, document_id) AS shown
    FROM scan_changes
    WHERE scan_id = $scan_id AND ($all_tenants OR list_contains($tenants, tenant))
), names AS (
    SELECT version_id, document_id
    FROM document_versions
    WHERE version_id IN (SELECT unnest(joined) FROM visible UNION SELECT unnest(left_out) FROM visible)
      AND ($all_tenants OR list_contains($tenants, tenant))
)
SELECT kind, document_id, tenant, version_id, previous_id, reason,
       (SELECT coalesce(list(names.document_id ORDER BY names.document_id), []) FROM names
        WHERE list_contains(visible.joined, names.version_id)) AS joined,
       (SELECT coalesce(list(names.document_id ORDER BY names.document_id), []) FROM names
        WHERE list_contains(visible.left_out, names.version_id)) AS left_out,
       score, score_before, density, density_before
FROM visible
WHERE shown <= $most
ORDER BY CASE kind WHEN 'new_alert' THEN 1 WHEN 'alert_gone' THEN 2 ELSE 3 END, shown
