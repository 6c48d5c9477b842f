-- Appends, for alerts that stood before, how often the events of a batch ranked and gave their text.
-- Runs before the batch's own alerts open, which count all events at once. Parameters: batch_id, actor, now, first_seq.
INSERT INTO alert_events BY NAME
WITH ranked AS (
    SELECT ranking.event_id, ranking.in_context, versions.corpus_id, versions.document_id, versions.content_hash
    FROM retrieval_events AS events
    JOIN event_ranking AS ranking USING (event_id)
    JOIN document_versions AS versions USING (version_id)
    WHERE events.batch_id = $batch_id
), seen AS (
    SELECT alerts.alert_id, count(DISTINCT ranked.event_id) AS retrieved,
           count(DISTINCT ranked.event_id) FILTER (WHERE ranked.in_context) AS in_context
    FROM ranked
    JOIN alerts USING (corpus_id, document_id, content_hash)
    GROUP BY alerts.alert_id
)
SELECT $first_seq + row_number() OVER (ORDER BY alert_id) AS seq,
       alert_id, $now AS acted_at, $actor AS actor, 'reach' AS kind, retrieved, in_context, '{}' AS payload
FROM seen
ORDER BY seq
