-- Grain: one token or none. Parameters: token_id.
SELECT name, secret_hash, scope, tenant, expires_at,
       EXISTS (SELECT 1 FROM token_revocations AS ended WHERE ended.token_id = tokens.token_id) AS revoked
FROM tokens
WHERE token_id = $token_id
