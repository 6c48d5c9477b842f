-- Grain: one alert of the documents in the registered relation "concerned" (corpus_id, document_id) whose quarantine waits,
-- was decided or is in force, or that the relation names. Order: alert.
SELECT DISTINCT current.alert_id
FROM alert_current AS current
JOIN concerned USING (corpus_id, document_id)
WHERE current.status IN ('waiting', 'in_force') OR (current.status = 'decided' AND current.verdict = 'quarantine')
   OR current.alert_id = concerned.alert_id
ORDER BY current.alert_id
