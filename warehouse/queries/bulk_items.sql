-- Grain: one item of a job. Order: position. Parameters: job_id, all_tenants, tenants.
SELECT items.position, items.alert_id, alerts.document_id, alerts.detector, corpora.name AS corpus,
       items.expected_version, results.outcome, results.reason, results.acted_at, results.actor
FROM bulk_items AS items
JOIN alerts USING (alert_id)
JOIN corpora USING (corpus_id)
LEFT JOIN bulk_results AS results ON results.job_id = items.job_id AND results.position = items.position
WHERE items.job_id = $job_id AND ($all_tenants OR list_contains($tenants, alerts.tenant))
ORDER BY items.position
