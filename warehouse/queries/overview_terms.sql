-- Grain: one term in one of two comparable periods of a corpus, with its values over candidates: the days up to the last
-- event (now), and as many days before them (before), both with the parameters, models and retriever of that event. Order: none.
-- Parameters: days, all_tenants, tenants.
WITH seen AS (
    SELECT event_id, corpus_id, config_key, model_versions, encoder_key, occurred_at
    FROM retrieval_events
    WHERE $all_tenants OR list_contains($tenants, tenant)
), last AS (
    SELECT corpus_id, max(occurred_at) AS ended_at, arg_max(config_key, (occurred_at, event_id)) AS config_key,
           arg_max(model_versions, (occurred_at, event_id)) AS model_versions,
           arg_max(coalesce(encoder_key, ''), (occurred_at, event_id)) AS encoder_key
    FROM seen
    GROUP BY corpus_id
), sided AS (
    SELECT seen.event_id, seen.corpus_id,
           CASE WHEN seen.occurred_at > last.ended_at - to_days($days::INTEGER) THEN 'now' ELSE 'before' END AS side
    FROM seen
    JOIN last USING (corpus_id, config_key, model_versions)
    WHERE coalesce(seen.encoder_key, '') = last.encoder_key
      AND seen.occurred_at > last.ended_at - to_days(2 * $days::INTEGER)
), terms AS (
    UNPIVOT (
        SELECT sided.corpus_id, sided.side, evidence.e_anchor, evidence.e_script, evidence.e_surprisal,
               evidence.e_alignment
        FROM sided
        JOIN candidate_evidence AS evidence USING (event_id)
    ) ON e_anchor, e_script, e_surprisal, e_alignment INTO NAME term VALUE value
)
SELECT corpora.name AS corpus, terms.term, terms.side, list(terms.value) AS values
FROM terms
JOIN corpora USING (corpus_id)
GROUP BY ALL
