-- Grain: one token, its secret left out. Order: latest first. Parameters: all_tenants, tenants.
SELECT tokens.* EXCLUDE (secret_hash), revoked.acted_at AS revoked_at, revoked.actor AS revoked_by
FROM tokens
LEFT JOIN token_revocations AS revoked USING (token_id)
WHERE $all_tenants OR list_contains($tenants, tokens.tenant)
ORDER BY tokens.token_id DESC
