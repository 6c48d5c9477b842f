-- Grain: one neighbour of one of the given versions. Order: version_id, position.
-- Both ends must be the caller's: a neighbour of another tenant would tell that it exists.
-- Parameters: scan_id, version_ids, all_tenants, tenants.
SELECT neighbors.version_id, neighbors.position, neighbors.neighbor_id, other.document_id, other.title,
       other.source_uri, other.contributor, neighbors.cosine, neighbors.jaccard, neighbors.retained, neighbors.reason,
       scores.score, scores.flagged, scores.floor, scores.density
FROM scan_neighbors AS neighbors
JOIN document_versions AS own ON own.version_id = neighbors.version_id
JOIN document_versions AS other ON other.version_id = neighbors.neighbor_id
LEFT JOIN scan_scores AS scores ON scores.scan_id = neighbors.scan_id AND scores.version_id = neighbors.neighbor_id
WHERE neighbors.scan_id = $scan_id AND list_contains($version_ids, neighbors.version_id)
  AND ($all_tenants OR (list_contains($tenants, own.tenant) AND list_contains($tenants, other.tenant)))
ORDER BY neighbors.version_id, neighbors.position
