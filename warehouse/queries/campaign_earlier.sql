-- Grain: one member of a campaign as it was last seen in the corpus. Order: last seen first, then campaign, hash.
-- Parameters: corpus_id, before (scan id).
WITH last AS (
    SELECT campaign_id, max(scan_id) AS scan_id
    FROM campaigns
    WHERE corpus_id = $corpus_id AND scan_id < $before
    GROUP BY campaign_id
)
SELECT last.scan_id, campaigns.campaign_id, versions.content_hash
FROM last
JOIN campaigns USING (scan_id, campaign_id)
JOIN scan_scores AS scores ON scores.scan_id = last.scan_id AND scores.campaign = campaigns.number
JOIN document_versions AS versions USING (version_id)
ORDER BY last.scan_id DESC, campaigns.campaign_id, versions.content_hash
