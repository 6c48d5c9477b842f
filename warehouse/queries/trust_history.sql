-- Grain: one statement of trust. Order: latest first. Parameters: corpus_id.
SELECT stated.*, stated.seq IN (SELECT seq FROM source_trust_current) AS in_force
FROM source_trust AS stated
WHERE stated.corpus_id = $corpus_id
ORDER BY stated.seq DESC
