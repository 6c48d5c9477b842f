-- Grain: one snapshot of a corpus. Order: latest first. Parameters: corpus_id.
SELECT snapshot_id, corpus_id, sequence, parent_id, batch_id, documents, created_at, created_by
FROM snapshots
WHERE corpus_id = $corpus_id
ORDER BY sequence DESC
