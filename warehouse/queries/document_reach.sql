-- Grain: one document that some event ranked. Order: cited, in context, retrieved (most first), document.
-- Parameters: corpus_id, document_id (empty = all), all_tenants, tenants, max_rows.
WITH seen AS (
    SELECT ranking.document_id, count(*) AS retrieved, count(*) FILTER (WHERE ranking.in_context) AS in_context
    FROM event_ranking AS ranking
    JOIN retrieval_events AS events USING (event_id)
    LEFT JOIN document_versions AS versions USING (version_id)
    WHERE events.corpus_id = $corpus_id AND ($document_id = '' OR ranking.document_id = $document_id)
      AND ($all_tenants OR (list_contains($tenants, events.tenant)
                            AND (versions.version_id IS NULL OR list_contains($tenants, versions.tenant))))
    GROUP BY ranking.document_id
), cited AS (
    SELECT citations.document_id, count(DISTINCT (citations.event_id, citations.answer_id)) AS cited
    FROM event_citations AS citations
    LEFT JOIN document_versions AS versions USING (version_id)
    WHERE citations.corpus_id = $corpus_id AND ($document_id = '' OR citations.document_id = $document_id)
      AND ($all_tenants OR (list_contains($tenants, citations.tenant)
                            AND (versions.version_id IS NULL OR list_contains($tenants, versions.tenant))))
    GROUP BY citations.document_id
)
SELECT seen.document_id, seen.retrieved, seen.in_context, coalesce(cited.cited, 0) AS cited
FROM seen
LEFT JOIN cited USING (document_id)
ORDER BY cited DESC, seen.in_context DESC, seen.retrieved DESC, seen.document_id
LIMIT $max_rows
