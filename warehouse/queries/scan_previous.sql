-- Grain: one row, or none: the last finished scan before this one by the same detector, parameters and encoder.
-- Parameters: scan_id, corpus_id, detector, config_key, encoder_key (null where the detector uses none).
SELECT scan_id, code_version
FROM scans
WHERE corpus_id = $corpus_id AND detector = $detector AND config_key = $config_key
  AND encoder_key IS NOT DISTINCT FROM $encoder_key AND status = 'finished' AND scan_id <> $scan_id
ORDER BY scan_id DESC
LIMIT 1
