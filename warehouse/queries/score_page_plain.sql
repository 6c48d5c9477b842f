-- Grain: one scored document version, for callers of all tenants and sorts over scores: the page is cut before documents
-- are joined, which keeps a million rows within 100 ms. Order: {order_by}, from the whitelist scans.SORTS.
-- Parameters: scan_id, flagged (null = both), limit, offset.
WITH page AS (
    SELECT scores.*, row_number() OVER () AS place
    FROM (SELECT scores.* EXCLUDE (scan_id)
          FROM scan_scores AS scores
          WHERE scores.scan_id = $scan_id AND ($flagged IS NULL OR scores.flagged = $flagged)
          ORDER BY {order_by}
          LIMIT $limit OFFSET $offset) AS scores
)
SELECT page.* EXCLUDE (place), versions.document_id, versions.title, versions.tenant, versions.source_uri,
       versions.contributor
FROM page
JOIN document_versions AS versions USING (version_id)
ORDER BY place
