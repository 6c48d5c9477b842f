-- Tombstones the caller's documents of a corpus that the staged input lacks; returns their number.
-- Parameters: corpus_id, batch_id, now, actor, all_tenants, tenants.
INSERT INTO document_tombstones
SELECT corpus_id, document_id, version_id, 'vanished', $batch_id, $now, $actor
FROM documents
WHERE corpus_id = $corpus_id AND NOT tombstoned
  AND ($all_tenants OR list_contains($tenants, tenant))
  AND document_id NOT IN (SELECT document_id FROM stage)
