-- Blanks the words of campaigns with an erased member: every member holds them. Parameters: versions.
UPDATE campaigns SET shared_words = []
WHERE len(shared_words) > 0
  AND (scan_id, number) IN (SELECT (scan_id, campaign) FROM scan_scores
                            WHERE campaign IS NOT NULL AND version_id IN (SELECT unnest($versions)))
