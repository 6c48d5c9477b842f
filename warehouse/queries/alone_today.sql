-- Grain: one row: documents that a person put in force without a second one after a moment. Parameters: actor, after.
SELECT count(*) AS documents
FROM quarantine_changes AS changes
JOIN quarantine_events AS published USING (quarantine_id)
WHERE published.kind = 'published' AND published.approved_by = 'policy' AND published.acted_at > $after
  AND changes.proposer = $actor AND changes.change = 'added'
