-- Grain: one delivery of a quarantine version. Order: latest first. Parameters: quarantine_id (empty = any).
SELECT * FROM index_receipts
WHERE $quarantine_id = '' OR quarantine_id = $quarantine_id
ORDER BY receipt_id DESC
