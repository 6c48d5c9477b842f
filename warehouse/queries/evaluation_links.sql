-- Grain: one retained neighbour, both ends of which are the caller's. Order: version_id, position.
-- Parameters: scan_id, all_tenants, tenants.
SELECT neighbors.version_id, neighbors.neighbor_id
FROM scan_neighbors AS neighbors
JOIN document_versions AS own ON own.version_id = neighbors.version_id
JOIN document_versions AS other ON other.version_id = neighbors.neighbor_id
WHERE neighbors.scan_id = $scan_id AND neighbors.retained
  AND ($all_tenants OR (list_contains($tenants, own.tenant) AND list_contains($tenants, other.tenant)))
ORDER BY neighbors.version_id, neighbors.position
