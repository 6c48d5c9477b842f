-- Grain: one planted document of a corpus with a question it was planted for. Order: corpus, question, document.
-- A document's own labels name its targets; only where it has none, the questions of its contexts do.
-- Parameters: corpus (name or id, empty = any), all_tenants, tenants.
WITH planted AS (
    SELECT DISTINCT labels.corpus_id, labels.document_id, labels.query_id, labels.condition,
           coalesce(nullif(labels.attack, ''), labels.condition) AS attack
    FROM labels
    WHERE labels.poison AND labels.query_id <> ''
), own AS (
    SELECT DISTINCT corpus_id, document_id FROM planted WHERE condition = ''
)
SELECT DISTINCT corpora.name AS corpus, planted.query_id, planted.document_id, planted.attack
FROM planted
JOIN corpora USING (corpus_id)
LEFT JOIN own ON own.corpus_id = planted.corpus_id AND own.document_id = planted.document_id
WHERE (planted.condition = '' OR own.document_id IS NULL)
  AND ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($all_tenants OR EXISTS (
      SELECT 1 FROM document_versions AS versions
      WHERE versions.corpus_id = planted.corpus_id AND versions.document_id = planted.document_id
        AND list_contains($tenants, versions.tenant)))
ORDER BY corpora.name, planted.query_id, planted.document_id
