-- Grain: one item of the blind queue that waits for an answer this reviewer may give. Order: item.
-- Parameters: corpus (name or id, empty = any), reviewer, all_tenants, tenants.
-- Known items are given to every reviewer, the others to one; a second look never to who decided on the alert.
SELECT samples.sample_id, corpora.name AS corpus, samples.document_id, versions.title, versions.text,
       versions.source_uri, versions.contributor, versions.ingested_at, events.query_text
FROM review_samples AS samples
JOIN sample_draws AS draws USING (draw_id)
JOIN corpora ON corpora.corpus_id = samples.corpus_id
JOIN document_versions AS versions USING (version_id)
LEFT JOIN retrieval_events AS events USING (event_id)
WHERE ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($all_tenants OR list_contains($tenants, samples.tenant))
  AND NOT EXISTS (SELECT 1 FROM review_answers AS answers
                  WHERE answers.sample_id = samples.sample_id
                    AND (draws.kind <> 'seeded' OR answers.reviewer = $reviewer))
  AND NOT EXISTS (SELECT 1 FROM alert_events AS steps
                  WHERE steps.alert_id = samples.alert_id AND steps.actor = $reviewer AND steps.verdict IS NOT NULL)
ORDER BY samples.sample_id
