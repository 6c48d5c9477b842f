-- Updates the evidence of standing alerts from the temporary table folded. Evidence alone: a person may set the state at
-- the same time, in other columns, and neither waits for the other. Never delete and insert: DuckDB sees no conflict
-- between a delete and an update of one row, and the update would be lost.
UPDATE alert_current
SET score = folded.score, evidence = folded.evidence, retrieved = folded.retrieved, in_context = folded.in_context,
    last_evidence_at = folded.last_evidence_at, campaign = folded.campaign, campaign_size = folded.campaign_size,
    severity = folded.severity
FROM folded
WHERE alert_current.alert_id = folded.alert_id
