-- Makes the temporary table compared: every document of a scan or of the one before it, with what both say of it.
-- A document keeps its text where the content hash is equal, whatever became of its provenance.
-- Parameters: scan_id, previous_id.
CREATE OR REPLACE TEMP TABLE compared AS
WITH now AS (
    SELECT scores.version_id, scores.document_id, scores.tenant, scores.score, scores.flagged, scores.density,
           versions.content_hash
    FROM scan_scores AS scores
    JOIN document_versions AS versions USING (version_id)
    WHERE scores.scan_id = $scan_id
), before AS (
    SELECT scores.version_id, scores.document_id, scores.tenant, scores.score, scores.flagged, scores.density,
           versions.content_hash
    FROM scan_scores AS scores
    JOIN document_versions AS versions USING (version_id)
    WHERE scores.scan_id = $previous_id
)
SELECT coalesce(now.document_id, before.document_id) AS document_id, coalesce(now.tenant, before.tenant) AS tenant,
       now.version_id, before.version_id AS previous_id,
       now.content_hash IS NOT DISTINCT FROM before.content_hash AS same_text,
       coalesce(now.flagged, false) AS flagged, coalesce(before.flagged, false) AS flagged_before,
       now.score, before.score AS score_before, now.density, before.density AS density_before
FROM now
FULL JOIN before ON now.document_id = before.document_id
