-- Grain: one scored document version. Order: {order_by}, from the whitelist scans.SORTS. The page is cut on ids alone, so
-- that a million rows stay within 100 ms; the rest is joined to the page.
-- Parameters: scan_id, flagged (null = both), search (part of the document id, casefolded; empty = any), limit, offset,
-- all_tenants, tenants.
WITH page AS (
    SELECT version_id, row_number() OVER () AS place
    FROM (SELECT scores.version_id
          FROM scan_scores AS scores
          WHERE scores.scan_id = $scan_id
            AND ($flagged IS NULL OR scores.flagged = $flagged)
            AND ($search = '' OR contains(lower(scores.document_id), $search))
            AND ($all_tenants OR list_contains($tenants, scores.tenant))
          ORDER BY {order_by}
          LIMIT $limit OFFSET $offset)
)
SELECT scores.* EXCLUDE (scan_id), versions.title, versions.source_uri, versions.contributor
FROM page
JOIN scan_scores AS scores ON scores.scan_id = $scan_id AND scores.version_id = page.version_id
JOIN document_versions AS versions ON versions.version_id = page.version_id
ORDER BY page.place
