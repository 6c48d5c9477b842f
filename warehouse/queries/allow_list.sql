-- Grain: one entry of the allow-list. Order: latest first. Parameters: alert_id (empty = any), now, all_tenants, tenants.
-- active: the entry has not run out and its alert is still kept or closed.
SELECT entries.*, corpora.name AS corpus,
       entries.expires_at > $now
         AND (current.status = 'closed' OR (current.status = 'decided' AND current.verdict = 'keep')) AS active
FROM allow_list AS entries
JOIN alert_current AS current USING (alert_id)
JOIN corpora ON corpora.corpus_id = entries.corpus_id
WHERE ($alert_id = '' OR entries.alert_id = $alert_id)
  AND ($all_tenants OR list_contains($tenants, current.tenant))
ORDER BY entries.acted_at DESC, entries.entry_id DESC
