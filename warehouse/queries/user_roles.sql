-- Grain: one role in force. Order: identity.
SELECT * FROM user_role_current ORDER BY identity
