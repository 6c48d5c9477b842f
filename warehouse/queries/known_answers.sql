-- Grain: one answer to a known item. Order: reviewer, item.
-- Parameters: corpus (name or id, empty = any), all_tenants, tenants.
SELECT answers.reviewer, samples.sample_id, answers.promoted, samples.truth
FROM review_samples AS samples
JOIN review_answers AS answers USING (sample_id)
JOIN corpora ON corpora.corpus_id = samples.corpus_id
WHERE samples.truth IS NOT NULL AND ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($all_tenants OR list_contains($tenants, samples.tenant))
ORDER BY answers.reviewer, samples.sample_id
