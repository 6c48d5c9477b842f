-- Grain: one alert in its current state. Order: {order_by}, from the whitelist alerts.SORTS. The page is cut on ids
-- alone, the rest is joined to it.
-- Parameters: statuses, detectors, verdicts, only_tenants ([''] = any), corpus, contributor, source_uri, holder, search
-- (part of the document id, casefolded), campaign, scan_id (empty = any), min_score (null = any), kinds ([''] = any),
-- all_tenants, tenants, limit, offset, now. A claim that ran out counts as open and has no
-- holder.
WITH page AS (
    SELECT alert_id, over, row_number() OVER () AS place
    FROM (SELECT current.alert_id, current.status = 'claimed' AND current.expires_at <= $now AS over
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
          ORDER BY {order_by}
          LIMIT $limit OFFSET $offset)
)
SELECT current.alert_id, current.severity, current.score, current.threshold, current.detector, corpora.name AS corpus,
       current.document_id, current.version_id, current.source_uri, current.contributor, current.tenant, current.campaign,
       current.campaign_size, current.retrieved, current.in_context, current.evidence, current.opened_at,
       current.last_evidence_at, CASE WHEN page.over THEN 'open' ELSE current.status END AS status, current.version,
       CASE WHEN page.over THEN NULL ELSE current.holder END AS holder, current.expires_at, current.verdict,
       current.reason, current.state_actor, current.state_at, coalesce(versions.title, '') AS title,
       coalesce((SELECT string_agg(kinds.kind, ', ' ORDER BY kinds.kind)
                 FROM alert_kinds AS kinds WHERE kinds.alert_id = current.alert_id), '') AS kind
FROM page
JOIN alert_current AS current USING (alert_id)
JOIN corpora USING (corpus_id)
LEFT JOIN document_versions AS versions USING (version_id)
ORDER BY page.place
