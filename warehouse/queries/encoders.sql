-- Grain: one encoder. Order: name, key. Parameters: all_tenants, tenants.
WITH held AS (
    SELECT vectors.encoder_key, count(*) AS vectors
    FROM (SELECT encoder_key, unnest(range(first_version, first_version + row_count)) AS version_id
          FROM embedding_rows) AS vectors
    JOIN document_versions AS versions USING (version_id)
    WHERE $all_tenants OR list_contains($tenants, versions.tenant)
    GROUP BY vectors.encoder_key
)
SELECT encoder_key, name, dimension, parameters, registered_at, coalesce(held.vectors, 0) AS vectors
FROM encoders
LEFT JOIN held USING (encoder_key)
WHERE $all_tenants OR held.vectors > 0
ORDER BY name, encoder_key
