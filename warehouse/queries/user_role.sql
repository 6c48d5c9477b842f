-- Grain: one row, the role in force of an identity, or none. Parameters: identity.
SELECT * FROM user_role_current WHERE identity = $identity
