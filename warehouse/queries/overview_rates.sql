-- Grain: one row over a period. Rates are null where there is nothing to divide by. New documents are versions that an
-- ingest brought. A caller of some tenants has their alerts, documents and queries, and scans that scored a document of
-- theirs. Parameters: since (UTC), all_tenants, tenants.
WITH counts AS (
    SELECT
        (SELECT count(*) FROM alerts WHERE detector = 'rsg' AND opened_at >= $since::TIMESTAMP
         AND ($all_tenants OR list_contains($tenants, tenant))) AS rsg_alerts,
        (SELECT count(*) FROM alerts WHERE detector = 'rsq' AND opened_at >= $since::TIMESTAMP
         AND ($all_tenants OR list_contains($tenants, tenant))) AS rsq_alerts,
        (SELECT count(*) FROM scans WHERE detector = 'rsg' AND status = 'finished' AND finished_at >= $since::TIMESTAMP
         AND ($all_tenants OR scan_id IN (
             SELECT scores.scan_id FROM scan_scores AS scores WHERE list_contains($tenants, scores.tenant)))) AS scans,
        (SELECT count(*) FROM document_versions WHERE origin = 'ingest' AND ingested_at >= $since::TIMESTAMP
         AND ($all_tenants OR list_contains($tenants, tenant))) AS new_documents,
        (SELECT count(*) FROM retrieval_events WHERE recorded_at >= $since::TIMESTAMP
         AND ($all_tenants OR list_contains($tenants, tenant))) AS queries
)
SELECT *, rsg_alerts / nullif(scans, 0) AS alerts_per_scan,
       1000 * rsg_alerts / nullif(new_documents, 0) AS alerts_per_1000_new_documents,
       1000 * rsq_alerts / nullif(queries, 0) AS alerts_per_1000_queries
FROM counts
