-- Grain: one token that was neither revoked nor over. Order: token. Parameters: now.
SELECT tokens.token_id, tokens.name, tokens.scope, tokens.tenant, tokens.secret_hash, tokens.expires_at
FROM tokens
ANTI JOIN token_revocations USING (token_id)
WHERE tokens.expires_at IS NULL OR tokens.expires_at > $now
ORDER BY tokens.token_id
