-- Grain: one verdict of a person on an alert. Order: oldest first. Parameters: corpus (name or id, empty = any),
-- all_tenants, tenants.
SELECT steps.seq, steps.acted_at, steps.actor, steps.verdict, steps.reason, steps.note, steps.alert_id, alerts.detector,
       corpora.name AS corpus, alerts.document_id, alerts.content_hash, alerts.tenant, alerts.source_uri,
       alerts.contributor, alerts.opened_at, alerts.threshold, steps.payload
FROM alert_events AS steps
JOIN alerts USING (alert_id)
JOIN corpora USING (corpus_id)
WHERE steps.kind = 'decided'
  AND ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($all_tenants OR list_contains($tenants, alerts.tenant))
ORDER BY steps.seq
