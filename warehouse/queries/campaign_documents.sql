-- Grain: one document of a campaign in one scan, member or context. Order: members first, highest score first, then id.
-- Parameters: scan_id, campaign, all_tenants, tenants.
WITH campaign AS (
    SELECT number, context FROM campaigns WHERE scan_id = $scan_id AND campaign_id = $campaign
)
SELECT scores.campaign IS NOT DISTINCT FROM campaign.number AS member, scores.version_id, scores.document_id, scores.tenant,
       versions.title, versions.source_uri, versions.contributor, versions.batch_label AS batch, scores.score,
       scores.density, scores.flagged, current.alert_id, current.status, current.verdict
FROM campaign
JOIN scan_scores AS scores
  ON scores.scan_id = $scan_id
 AND (scores.campaign = campaign.number OR list_contains(campaign.context, scores.version_id))
JOIN document_versions AS versions USING (version_id)
LEFT JOIN alert_current AS current
  ON current.detector = 'rsg' AND current.corpus_id = versions.corpus_id AND current.document_id = versions.document_id
 AND current.content_hash = versions.content_hash
WHERE $all_tenants OR list_contains($tenants, scores.tenant)
ORDER BY member DESC, scores.score DESC, scores.document_id
