-- Grain: one document of the registered relation "copied" (number, version_id). Order: number, version.
SELECT copied.number, copied.version_id, versions.document_id, versions.tenant, versions.contributor,
       CASE WHEN versions.parent <> '' THEN versions.parent ELSE versions.source_uri END AS source
FROM copied
JOIN document_versions AS versions USING (version_id)
ORDER BY copied.number, copied.version_id
