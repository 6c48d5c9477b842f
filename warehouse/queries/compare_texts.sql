-- Grain: one document version that the caller may see, with its text. Order: version.
-- Parameters: version_ids, all_tenants, tenants.
SELECT version_id, title, text
FROM document_versions
WHERE version_id IN (SELECT unnest($version_ids::BIGINT[])) AND text IS NOT NULL
  AND ($all_tenants OR list_contains($tenants, tenant))
ORDER BY version_id
