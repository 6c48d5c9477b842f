-- Grain: one campaign as it was last seen. Order: in the corpus's last scan first, then strongest evidence, then id.
-- A caller of some tenants sees those with a member of theirs, counted over these alone; shared words and evidence rest on
-- all members, so that they are given only where all are visible.
-- Parameters: corpus (name or id, empty = any), campaign (id, empty = any), all_tenants, tenants.
WITH seen AS (
    SELECT campaigns.corpus_id, campaigns.campaign_id, max(campaigns.scan_id) AS scan_id,
           min(campaigns.recorded_at) AS first_seen, max(campaigns.recorded_at) AS last_seen, count(*) AS scans
    FROM campaigns
    JOIN corpora USING (corpus_id)
    WHERE ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
      AND ($campaign = '' OR campaigns.campaign_id = $campaign)
    GROUP BY campaigns.corpus_id, campaigns.campaign_id
), newest AS (
    SELECT corpus_id, max(scan_id) AS scan_id FROM scans WHERE status = 'finished' AND detector = 'rsg' GROUP BY corpus_id
), members AS (
    SELECT seen.scan_id, campaigns.campaign_id, count(*) AS documents,
           count(DISTINCT nullif(versions.contributor, '')) AS contributors,
           count(DISTINCT nullif(versions.batch_label, '')) AS batches
    FROM seen
    JOIN campaigns USING (scan_id, campaign_id)
    JOIN scan_scores AS scores ON scores.scan_id = seen.scan_id AND scores.campaign = campaigns.number
    JOIN document_versions AS versions USING (version_id)
    WHERE $all_tenants OR list_contains($tenants, scores.tenant)
    GROUP BY seen.scan_id, campaigns.campaign_id
)
SELECT seen.campaign_id, corpora.name AS corpus, seen.scan_id, members.documents, members.contributors, members.batches,
       CASE WHEN members.documents = campaigns.documents THEN campaigns.evidence END AS evidence,
       CASE WHEN members.documents = campaigns.documents THEN campaigns.expected_number END AS expected_number,
       CASE WHEN members.documents = campaigns.documents THEN campaigns.shared_words ELSE [] END AS shared_words,
       seen.first_seen, seen.last_seen, seen.scans, seen.scan_id = newest.scan_id AS in_last_scan,
       (SELECT count(*) FROM alert_current AS current
        WHERE current.campaign = seen.campaign_id AND current.corpus_id = seen.corpus_id
          AND current.status IN ('open', 'claimed') AND ($all_tenants OR list_contains($tenants, current.tenant))
       ) AS open_alerts
FROM seen
JOIN campaigns USING (scan_id, campaign_id)
JOIN members USING (scan_id, campaign_id)
JOIN corpora ON corpora.corpus_id = seen.corpus_id
JOIN newest ON newest.corpus_id = seen.corpus_id
ORDER BY in_last_scan DESC, campaigns.evidence DESC NULLS LAST, seen.campaign_id
