-- Grain: one label. Order: oldest first. Parameters: corpus (name or id, empty = any), held_out (without
-- what reviewers said), all_tenants, tenants.
SELECT labels.*, corpora.name AS corpus
FROM labels
JOIN corpora USING (corpus_id)
WHERE NOT ($held_out AND labels.provenance = 'reviewer')
  AND ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($all_tenants OR EXISTS (
      SELECT 1 FROM document_versions AS versions
      WHERE versions.corpus_id = labels.corpus_id AND versions.document_id = labels.document_id
        AND list_contains($tenants, versions.tenant)))
ORDER BY labels.acted_at, labels.label_id
