-- Grain: one other alert whose quarantine of the same document is in force. Order: alert.
-- Parameters: corpus_id, document_id, alert_id.
SELECT alert_id
FROM alert_current
WHERE corpus_id = $corpus_id AND document_id = $document_id AND alert_id <> $alert_id AND status = 'in_force'
ORDER BY alert_id
