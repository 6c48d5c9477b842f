-- Grain: one scored document version of a scan. Order: version_id. Parameters: scan_id, all_tenants, tenants.
SELECT scores.* EXCLUDE (scan_id), versions.content_hash
FROM scan_scores AS scores
JOIN document_versions AS versions USING (version_id)
WHERE scores.scan_id = $scan_id AND ($all_tenants OR list_contains($tenants, scores.tenant))
ORDER BY scores.version_id
