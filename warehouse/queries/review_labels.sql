-- Grain: one verdict or blind answer that says whether a text was promoted. Order: source.
-- Parameters: corpus (name or id, empty = any), all_tenants, tenants.
SELECT found.*, corpora.name AS corpus
FROM (
    SELECT corpus_id, document_id, tenant, 'alert:' || alert_id AS source, verdict = 'quarantine' AS poison,
           NULL::DOUBLE AS probability
    FROM alert_current
    WHERE (verdict = 'quarantine' AND reason = 'true_positive') OR (verdict = 'keep' AND reason = 'benign')
    UNION ALL
    SELECT samples.corpus_id, samples.document_id, samples.tenant, 'sample:' || samples.sample_id,
           arg_min(answers.promoted, answers.acted_at), samples.probability
    FROM review_samples AS samples
    JOIN sample_draws AS draws USING (draw_id)
    JOIN review_answers AS answers USING (sample_id)
    WHERE draws.kind = 'audit' AND answers.promoted IS NOT NULL
    GROUP BY samples.corpus_id, samples.document_id, samples.tenant, samples.sample_id, samples.probability
) AS found
JOIN corpora USING (corpus_id)
WHERE ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($all_tenants OR list_contains($tenants, found.tenant))
ORDER BY found.source
