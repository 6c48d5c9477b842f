-- Grain: one hold. Order: latest first. Parameters: now, all_tenants, tenants.
SELECT holds.*, corpora.name AS corpus, ended.acted_at AS ended_at, ended.actor AS ended_by, ended.cause,
       ended.hold_id IS NULL AND holds.expires_at > $now AS active
FROM holds
JOIN corpora USING (corpus_id)
LEFT JOIN hold_ends AS ended ON ended.hold_id = holds.hold_id
WHERE $all_tenants OR list_contains($tenants, holds.tenant)
ORDER BY holds.hold_id DESC
