-- Grain: one row.
-- Parameters: statuses, detectors, verdicts, only_tenants ([''] = any), corpus, contributor, source_uri, holder, search
-- (part of the document id, casefolded), campaign, scan_id (empty = any), min_score (null = any), kinds ([''] = any),
-- all_tenants, tenants, now.
SELECT count(*) AS total
FROM alert_current AS current
JOIN corpora USING (corpus_id)
WHERE ($all_tenants OR list_contains($tenants, current.tenant))
  AND ($statuses = [''] OR list_contains($statuses, CASE WHEN current.status = 'claimed' AND current.expires_at <= $now THEN 'open'
                                                            ELSE current.status END))
  AND ($detectors = [''] OR list_contains($detectors, current.detector))
  AND ($verdicts = [''] OR list_contains($verdicts, current.verdict))
  AND ($only_tenants = [''] OR list_contains($only_tenants, current.tenant))
  AND ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($contributor = '' OR current.contributor = $contributor)
  AND ($source_uri = '' OR current.source_uri = $source_uri)
  AND ($holder = '' OR (current.holder = $holder AND current.expires_at > $now))
  AND ($search = '' OR contains(lower(current.document_id), $search))
  AND ($campaign = '' OR current.campaign = $campaign)
  AND ($scan_id = '' OR current.alert_id IN (SELECT alert_id FROM alert_events WHERE scan_id = $scan_id))
  AND ($min_score IS NULL OR current.score >= $min_score)
  AND ($kinds = [''] OR current.alert_id IN (
      SELECT alert_id FROM alert_kinds WHERE list_contains($kinds, kind)))
