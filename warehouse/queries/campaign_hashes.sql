-- Grain: one member of a campaign of a scan. Order: number, version. Parameters: scan_id.
SELECT scores.campaign, versions.content_hash
FROM scan_scores AS scores
JOIN document_versions AS versions USING (version_id)
WHERE scores.scan_id = $scan_id AND scores.campaign IS NOT NULL
ORDER BY scores.campaign, scores.version_id
