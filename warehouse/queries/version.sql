-- Grain: one document version or none. Parameters: version_id, all_tenants, tenants.
SELECT versions.*, corpora.name AS corpus
FROM document_versions AS versions
JOIN corpora USING (corpus_id)
WHERE versions.version_id = $version_id AND ($all_tenants OR list_contains($tenants, versions.tenant))
