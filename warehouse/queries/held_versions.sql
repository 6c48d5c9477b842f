-- Grain: one version of the registered relation wanted_versions that has a vector. Order: version_id.
-- Parameters: encoder_key.
SELECT DISTINCT version_id
FROM wanted_versions
SEMI JOIN (SELECT unnest(range(first_version, first_version + row_count)) AS version_id
           FROM embedding_rows WHERE encoder_key = $encoder_key) AS held USING (version_id)
ORDER BY version_id
