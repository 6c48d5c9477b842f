-- Grain: one scored document version of a scan with its label. Order: version_id.
-- poison is null where nobody labelled the document; a fixture comes before a reviewer. weight: one over the probability
-- of being drawn, null where it was not drawn. Parameters: scan_id, all_tenants, tenants.
WITH whole AS (
    SELECT corpus_id, document_id,
           coalesce(bool_or(poison) FILTER (WHERE provenance = 'fixture'), bool_or(poison)) AS poison,
           coalesce(max(attack) FILTER (WHERE poison), '') AS attack,
           coalesce(min(condition) FILTER (WHERE poison AND condition <> ''), '') AS condition,
           -- The document's own label names its target; one of a context names the question it was seen under
           coalesce(min(query_id) FILTER (WHERE poison AND condition = '' AND query_id <> ''),
                    min(query_id) FILTER (WHERE poison AND query_id <> ''), '') AS target,
           bool_or(provenance = 'fixture') AS fixture,
           max(1 / sampling_probability) AS weight
    FROM labels
    GROUP BY ALL
)
SELECT scores.version_id, scores.document_id, scores.score, scores.flagged, scores.density, scores.integrity,
       scores.topology_score, coalesce(nullif(versions.parent, ''), versions.source_uri) AS source,
       versions.ingested_at, whole.poison, coalesce(nullif(whole.attack, ''), whole.condition, '') AS attack,
       coalesce(whole.target, '') AS target, coalesce(whole.fixture, false) AS fixture, whole.weight, alerts.verdict
FROM scan_scores AS scores
JOIN document_versions AS versions USING (version_id)
LEFT JOIN whole ON whole.corpus_id = versions.corpus_id AND whole.document_id = scores.document_id
LEFT JOIN alert_current AS alerts
  ON alerts.corpus_id = versions.corpus_id AND alerts.document_id = scores.document_id
     AND alerts.content_hash = versions.content_hash AND alerts.detector = 'rsg'
WHERE scores.scan_id = $scan_id AND ($all_tenants OR list_contains($tenants, scores.tenant))
ORDER BY scores.version_id
