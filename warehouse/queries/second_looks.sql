-- Grain: one blind second look with the verdict it is compared with. Order: item.
-- Parameters: corpus (name or id, empty = any), all_tenants, tenants.
SELECT samples.sample_id, alerts.verdict = 'quarantine' AS verdict, answers.promoted, alerts.state_actor AS first,
       answers.reviewer AS second
FROM review_samples AS samples
JOIN review_answers AS answers USING (sample_id)
JOIN alert_current AS alerts USING (alert_id)
JOIN corpora ON corpora.corpus_id = samples.corpus_id
WHERE alerts.verdict IN ('quarantine', 'keep') AND ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($all_tenants OR list_contains($tenants, samples.tenant))
ORDER BY samples.sample_id, answers.reviewer
