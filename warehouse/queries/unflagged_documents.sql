-- Grain: one document that the latest finished RSG scan of a corpus did not flag. Order: version.
-- Parameters: corpus_id, all_tenants, tenants.
SELECT scores.scan_id, scores.version_id, versions.corpus_id, versions.document_id, versions.content_hash,
       versions.tenant, scores.score, scans.threshold
FROM scans
JOIN scan_scores AS scores USING (scan_id)
JOIN document_versions AS versions USING (version_id)
WHERE scans.scan_id = (SELECT max(scan_id) FROM scans
                       WHERE corpus_id = $corpus_id AND detector = 'rsg' AND status = 'finished')
  AND NOT scores.flagged AND ($all_tenants OR list_contains($tenants, versions.tenant))
ORDER BY scores.version_id
