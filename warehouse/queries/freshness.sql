-- Grain: one corpus with a current document of the caller. Order: name. A document is scanned where a finished scan of
-- detector rsg scored its text, in this version or an earlier one of the same text.
-- Parameters: all_tenants, tenants.
WITH current AS (
    SELECT corpus_id, document_id, version_id, content_hash, ingested_at
    FROM documents
    WHERE NOT tombstoned AND ($all_tenants OR list_contains($tenants, tenant))
), scored AS (
    SELECT DISTINCT scores.version_id
    FROM scan_scores AS scores
    SEMI JOIN (SELECT scan_id FROM scans WHERE status = 'finished' AND detector = 'rsg') AS done USING (scan_id)
), fresh AS (
    SELECT * FROM current ANTI JOIN scored USING (version_id)
), unscanned AS (
    SELECT fresh.*
    FROM fresh
    ANTI JOIN (
        SELECT versions.corpus_id, versions.document_id, versions.content_hash
        FROM document_versions AS versions
        SEMI JOIN scored USING (version_id)
    ) AS texts USING (corpus_id, document_id, content_hash)
)
SELECT corpora.corpus_id, corpora.name AS corpus, count(*) AS documents, count(unscanned.version_id) AS unscanned,
       min(unscanned.ingested_at) AS oldest_at,
       (SELECT max(finished_at) FROM scans
        WHERE scans.corpus_id = corpora.corpus_id AND status = 'finished' AND detector = 'rsg') AS last_scan_at
FROM current
JOIN corpora USING (corpus_id)
LEFT JOIN unscanned USING (version_id)
GROUP BY corpora.corpus_id, corpora.name
ORDER BY corpora.name
