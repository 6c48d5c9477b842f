-- Grain: one row over the texts of alerts that wait (open or claimed). A text is reached where an event of the caller's
-- tenants ranked it. Parameters: all_tenants, tenants.
WITH texts AS (
    SELECT DISTINCT corpus_id, document_id, content_hash
    FROM alert_current
    WHERE status IN ('open', 'claimed') AND ($all_tenants OR list_contains($tenants, tenant))
), ranked AS (
    SELECT texts.corpus_id, texts.document_id, texts.content_hash, ranking.event_id, ranking.in_context
    FROM texts
    JOIN document_versions AS versions USING (corpus_id, document_id, content_hash)
    JOIN event_ranking AS ranking USING (version_id)
    JOIN retrieval_events AS events USING (event_id)
    WHERE $all_tenants OR (list_contains($tenants, versions.tenant) AND list_contains($tenants, events.tenant))
)
SELECT (SELECT count(*) FROM texts) AS documents,
       count(DISTINCT (corpus_id, document_id, content_hash)) AS retrieved_documents,
       count(DISTINCT (corpus_id, document_id, content_hash)) FILTER (WHERE in_context) AS in_context_documents,
       count(DISTINCT event_id) AS events_retrieving, count(DISTINCT event_id) FILTER (WHERE in_context) AS events_in_context
FROM ranked
