-- Appends the documents whose flag changed, and per tenant the $most whose density moved most, with the reason and the
-- neighbours that joined or left, from the temporary tables compared, moved, near_now and near_before.
-- Parameters: scan_id, same_code (whether both scans ran the same version of the product), most.
INSERT INTO scan_changes BY NAME
WITH chosen AS (
    SELECT *, CASE WHEN flagged AND NOT flagged_before THEN 'new_alert'
                   WHEN flagged_before AND NOT flagged THEN 'alert_gone'
                   ELSE 'moved' END AS kind,
           version_id IN (SELECT version_id FROM moved) AS is_moved
    FROM compared
    WHERE flagged <> flagged_before OR version_id IN (SELECT version_id FROM moved)
), placed AS (
    SELECT *, (row_number() OVER (
        PARTITION BY kind, tenant
        ORDER BY CASE kind WHEN 'new_alert' THEN score WHEN 'alert_gone' THEN score_before
                           ELSE abs(density - density_before) END DESC NULLS LAST, document_id))::INTEGER AS place
    FROM chosen
), shown AS (
    SELECT * FROM placed WHERE kind <> 'moved' OR place <= $most
), joined AS (
    SELECT shown.version_id, list(near_now.neighbor_id ORDER BY near_now.neighbor_id) AS versions
    FROM shown
    JOIN near_now ON near_now.version_id = shown.version_id
    LEFT JOIN near_before ON near_before.version_id = shown.previous_id AND near_before.neighbor_id = near_now.text_key
    WHERE near_before.neighbor_id IS NULL AND shown.previous_id IS NOT NULL
    GROUP BY shown.version_id
), left_out AS (
    SELECT shown.version_id, list(near_before.neighbor_id ORDER BY near_before.neighbor_id) AS versions
    FROM shown
    JOIN near_before ON near_before.version_id = shown.previous_id
    LEFT JOIN near_now ON near_now.version_id = shown.version_id AND near_now.text_key = near_before.neighbor_id
    WHERE near_now.neighbor_id IS NULL AND shown.version_id IS NOT NULL
    GROUP BY shown.version_id
)
SELECT $scan_id AS scan_id, kind, place, document_id, tenant, shown.version_id, previous_id,
       CASE WHEN previous_id IS NULL THEN 'new_document'
            WHEN shown.version_id IS NULL THEN 'document_gone'
            WHEN NOT same_text THEN 'text_changed'
            WHEN is_moved THEN 'neighbours_changed'
            WHEN NOT $same_code THEN 'code_changed'
            ELSE 'corpus_changed' END AS reason,
       coalesce(joined.versions, []) AS joined, coalesce(left_out.versions, []) AS left_out, score, score_before, density,
       density_before
FROM shown
LEFT JOIN joined ON joined.version_id = shown.version_id
LEFT JOIN left_out ON left_out.version_id = shown.version_id
ORDER BY kind, tenant, place
