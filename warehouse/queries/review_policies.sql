-- Grain: one policy of the desk that came into force. Order: latest first.
SELECT * FROM review_policies ORDER BY seq DESC
