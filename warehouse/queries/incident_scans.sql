-- Grain: one scan. Order: latest first. Parameters: scan_ids.
SELECT * FROM scans WHERE scan_id IN (SELECT unnest($scan_ids::VARCHAR[])) ORDER BY scan_id DESC
