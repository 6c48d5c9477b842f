-- Grain: one quarantined or held document and a tenant it had then, all tenants. Order: corpus, document, tenant.
-- Parameters: now.
SELECT corpora.name, named.document_id, named.tenant
FROM (
    SELECT members.corpus_id, members.document_id, members.tenant
    FROM quarantine_current
    JOIN quarantine_members AS members USING (quarantine_id)
    UNION
    SELECT holds.corpus_id, holds.document_id, holds.tenant
    FROM holds
    ANTI JOIN hold_ends USING (hold_id)
    WHERE holds.expires_at > $now
) AS named
JOIN corpora ON corpora.corpus_id = named.corpus_id
ORDER BY 1, 2, 3
