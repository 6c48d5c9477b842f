-- Grain: the latest finished scan of each corpus, encoder, detector and rule. Order: corpus, encoder, detector, rule.
-- Parameters: corpus (name or id, empty = any), all_tenants, tenants.
SELECT scans.scan_id, corpora.name AS corpus, coalesce(scans.encoder_key, '') AS retriever, scans.detector, scans.rule,
       scans.threshold, scans.finished_at
FROM scans
JOIN corpora USING (corpus_id)
WHERE scans.status = 'finished' AND ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($all_tenants OR EXISTS (
      SELECT 1 FROM scan_scores AS scores
      WHERE scores.scan_id = scans.scan_id AND list_contains($tenants, scores.tenant)))
QUALIFY row_number() OVER (
    PARTITION BY scans.corpus_id, coalesce(scans.encoder_key, ''), scans.detector, scans.rule
    ORDER BY scans.finished_at DESC, scans.scan_id DESC) = 1
ORDER BY corpora.name, retriever, scans.detector, scans.rule
