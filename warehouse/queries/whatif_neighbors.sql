-- Grain: one stored neighbour of a scan. Order: version_id, position.
-- Numbers alone, and only of the caller's documents, so that both ends need not be checked. Parameters: scan_id, all_tenants, tenants.
SELECT neighbors.version_id, neighbors.cosine, neighbors.jaccard
FROM scan_neighbors AS neighbors
JOIN scan_scores AS scores ON scores.scan_id = neighbors.scan_id AND scores.version_id = neighbors.version_id
WHERE neighbors.scan_id = $scan_id AND ($all_tenants OR list_contains($tenants, scores.tenant))
ORDER BY neighbors.version_id, neighbors.position
