-- Grain: one scan. Order: latest first. A caller of some tenants sees scans that scored a document of theirs, counted
-- over their documents alone.
-- Parameters: corpus (name or id, empty = any), scan_key, scan_id (empty = any), limit, offset, all_tenants, tenants.
WITH visible AS (
    SELECT scores.scan_id, count(*) AS documents, count(*) FILTER (WHERE scores.flagged) AS flagged
    FROM scan_scores AS scores
    WHERE NOT $all_tenants AND list_contains($tenants, scores.tenant)
    GROUP BY scores.scan_id
)
SELECT scans.scan_id, scans.corpus_id, corpora.name AS corpus, scans.snapshot_id, scans.detector, scans.rule, scans.config,
       scans.config_key, scans.encoder_key, scans.model_versions, scans.code_version, scans.threshold, scans.status,
       scans.state, CASE WHEN $all_tenants THEN scans.documents ELSE visible.documents END AS documents,
       CASE WHEN $all_tenants THEN scans.flagged ELSE visible.flagged END AS flagged,
       CASE WHEN $all_tenants THEN scans.summary ELSE '{}' END AS summary,
       scans.started_at, scans.finished_at, scans.seconds, scans.error, scans.actor
FROM scans
JOIN corpora USING (corpus_id)
LEFT JOIN visible USING (scan_id)
WHERE ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($scan_key = '' OR scans.scan_key = $scan_key)
  AND ($scan_id = '' OR scans.scan_id = $scan_id)
  AND ($all_tenants OR visible.documents > 0)
ORDER BY scans.scan_id DESC
LIMIT $limit OFFSET $offset
