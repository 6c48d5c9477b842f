-- Grain: one corpus of which units that were not flagged were ever drawn for blind review. Order: name.
SELECT DISTINCT corpora.name
FROM sample_draws AS draws
JOIN corpora USING (corpus_id)
WHERE draws.kind = 'audit'
ORDER BY corpora.name
