-- Grain: one scan row of a text. Order: latest scan first.
-- Parameters: corpus_id, document_id, content_hash, all_tenants, tenants.
SELECT scores.*, scans.detector, scans.rule, scans.threshold, scans.config, scans.snapshot_id, scans.encoder_key,
       scans.state, scans.finished_at
FROM document_versions AS versions
JOIN scan_scores AS scores USING (version_id)
JOIN scans USING (scan_id)
WHERE versions.corpus_id = $corpus_id AND versions.document_id = $document_id
  AND versions.content_hash = $content_hash AND ($all_tenants OR list_contains($tenants, versions.tenant))
ORDER BY scans.scan_id DESC
