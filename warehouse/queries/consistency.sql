-- Grain: one rule that must hold over the whole file, with the number of rows that break it. Order: as written.
SELECT * FROM (VALUES
    (1, 'version ids that stand twice', (SELECT count(*) - count(DISTINCT version_id) FROM document_versions)),
    (2, 'versions of a document that stand twice', (
        SELECT count(*) - count(DISTINCT (corpus_id, document_id, version_no))
        FROM document_versions WHERE origin = 'ingest')),
    (3, 'ingests without all their documents', (
        SELECT count(*)
        FROM ingest_batches AS batches
        WHERE accepted <> (SELECT count(*) FROM document_versions AS v WHERE v.batch_id = batches.batch_id))),
    (4, 'scans without all their scores', (
        SELECT count(*)
        FROM scans
        WHERE status = 'finished'
          AND documents <> (SELECT count(*) FROM scan_scores AS s WHERE s.scan_id = scans.scan_id))),
    (5, 'scores without a scan', (SELECT count(*) FROM scan_scores ANTI JOIN scans USING (scan_id))),
    (6, 'rankings without an event', (SELECT count(*) FROM event_ranking ANTI JOIN retrieval_events USING (event_id))),
    (7, 'candidates without an event', (
        SELECT count(*) FROM candidate_evidence ANTI JOIN retrieval_events USING (event_id))),
    (8, 'events that stand twice', (SELECT count(*) - count(DISTINCT event_id) FROM retrieval_events)),
    (9, 'history rows of alerts that stand twice', (SELECT count(*) - count(DISTINCT seq) FROM alert_events)),
    (10, 'alerts without a current state, or with two', (
        SELECT (SELECT count(*) FROM alerts) - (SELECT count(DISTINCT alert_id) FROM alert_current)
             + (SELECT count(*) - count(DISTINCT alert_id) FROM alert_current))),
    (11, 'current states that are not their history', (
        SELECT count(*)
        FROM alert_folded AS folded
        JOIN alert_current AS kept USING (alert_id)
        WHERE (folded.version, folded.status, folded.verdict, folded.score, folded.evidence, folded.retrieved,
               folded.in_context)
              IS DISTINCT FROM (kept.version, kept.status, kept.verdict, kept.score, kept.evidence, kept.retrieved,
                                kept.in_context))),
    (12, 'snapshots without all their members', (
        SELECT count(*)
        FROM snapshots
        WHERE documents <> (
            SELECT coalesce(sum(last_version - first_version + 1), 0)
            FROM snapshot_members AS m WHERE m.snapshot_id = snapshots.snapshot_id))),
    (13, 'vectors without a file', (SELECT count(*) FROM embedding_rows ANTI JOIN embedding_segments USING (segment_id)))
) AS rules(number, rule, broken)
ORDER BY number
