-- Grain: one stratum of the latest draw of what a detector did not flag, with the answers to its items. Order: stratum.
-- Parameters: corpus_id, detector.
WITH latest AS (
    SELECT max(draw_id) AS draw_id FROM sample_draws
    WHERE kind = 'audit' AND corpus_id = $corpus_id AND detector = $detector
), told AS (
    SELECT samples.stratum, samples.sample_id, arg_min(answers.promoted, answers.acted_at) AS promoted
    FROM review_samples AS samples
    JOIN latest USING (draw_id)
    JOIN review_answers AS answers USING (sample_id)
    WHERE answers.promoted IS NOT NULL
    GROUP BY ALL
)
SELECT strata.stratum, strata.population, strata.drawn, count(told.sample_id) FILTER (WHERE told.promoted) AS positives,
       count(told.sample_id) FILTER (WHERE NOT told.promoted) AS negatives
FROM sample_strata AS strata
JOIN latest USING (draw_id)
LEFT JOIN told USING (stratum)
GROUP BY ALL
ORDER BY strata.stratum
