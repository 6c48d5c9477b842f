-- Grain: one of two comparable scans of a corpus, with the densities of its documents: the last finished RSG scan (now) and
-- the one before it with the same parameters and encoder (before). Order: none. Parameters: all_tenants, tenants.
WITH finished AS (
    SELECT scan_id, corpus_id, config_key, encoder_key,
           row_number() OVER (PARTITION BY corpus_id, config_key, encoder_key ORDER BY scan_id DESC) AS place,
           first_value(scan_id) OVER (PARTITION BY corpus_id ORDER BY scan_id DESC) AS latest
    FROM scans
    WHERE status = 'finished' AND detector = 'rsg'
), pairs AS (
    SELECT finished.scan_id, finished.corpus_id, finished.place
    FROM finished
    JOIN finished AS last ON last.scan_id = finished.latest AND last.config_key = finished.config_key
        AND last.encoder_key IS NOT DISTINCT FROM finished.encoder_key
    WHERE finished.place <= 2
)
SELECT corpora.name AS corpus, 'density' AS term, CASE pairs.place WHEN 1 THEN 'now' ELSE 'before' END AS side,
       list(scores.density) AS values
FROM pairs
JOIN corpora USING (corpus_id)
JOIN scan_scores AS scores USING (scan_id)
WHERE scores.density IS NOT NULL AND ($all_tenants OR list_contains($tenants, scores.tenant))
GROUP BY ALL
