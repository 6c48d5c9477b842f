-- Appends the alerts that are new among the temporary table fed. Parameters: detector, threshold, now.
INSERT INTO alerts BY NAME
SELECT alert_id, $detector AS detector, any_value(corpus_id) AS corpus_id, arg_min(tenant, version_id) AS tenant,
       min(version_id) AS version_id, any_value(document_id) AS document_id, any_value(content_hash) AS content_hash,
       arg_min(source_uri, version_id) AS source_uri, arg_min(contributor, version_id) AS contributor,
       $now AS opened_at, $threshold AS threshold
FROM fed
WHERE is_new
GROUP BY alert_id
ORDER BY alert_id
