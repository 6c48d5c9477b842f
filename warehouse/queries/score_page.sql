-- Grain: one scored document version. Order: {order_by}, from the whitelist scans.SORTS.
-- Parameters: scan_id, flagged (null = both), search (part of the document id, casefolded; empty = any), limit, offset,
-- all_tenants, tenants.
SELECT scores.* EXCLUDE (scan_id), versions.document_id, versions.title, versions.tenant, versions.source_uri,
       versions.contributor
FROM scan_scores AS scores
JOIN document_versions AS versions USING (version_id)
WHERE scores.scan_id = $scan_id
  AND ($flagged IS NULL OR scores.flagged = $flagged)
  AND ($search = '' OR contains(lower(versions.document_id), $search))
  AND ($all_tenants OR list_contains($tenants, versions.tenant))
ORDER BY {order_by}
LIMIT $limit OFFSET $offset
