-- Grain: corpus and detector that was ever scanned. Order: corpus, detector. Counts are of the period, the last scans of
-- all time. A caller of some tenants has the scans that scored a document of theirs, hence none that failed.
-- Parameters: since, now (UTC), all_tenants, tenants.
SELECT corpora.name AS corpus, scans.detector,
       count(*) FILTER (WHERE scans.status = 'finished' AND scans.finished_at >= $since::TIMESTAMP) AS finished,
       count(*) FILTER (WHERE scans.status = 'failed' AND scans.finished_at >= $since::TIMESTAMP) AS failed,
       max(scans.finished_at) FILTER (WHERE scans.status = 'finished') AS last_finished_at,
       date_diff('second', max(scans.finished_at) FILTER (WHERE scans.status = 'finished'), $now::TIMESTAMP) / 3600.0
           AS last_finished_hours,
       max(scans.finished_at) FILTER (WHERE scans.status = 'failed') AS last_failed_at,
       arg_max(scans.status, scans.scan_id) AS last_status
FROM scans
JOIN corpora USING (corpus_id)
WHERE $all_tenants OR scans.scan_id IN (
    SELECT scores.scan_id FROM scan_scores AS scores WHERE list_contains($tenants, scores.tenant))
GROUP BY corpora.name, scans.detector
ORDER BY corpora.name, scans.detector
