-- Appends, for every new alert of the temporary table fed, how often its text was ranked and given so far.
-- Parameters: actor, now, first_seq.
INSERT INTO alert_events BY NAME
WITH same_text AS (
    SELECT DISTINCT fed.alert_id, versions.version_id
    FROM fed
    JOIN document_versions AS versions
      ON versions.corpus_id = fed.corpus_id AND versions.document_id = fed.document_id
         AND versions.content_hash = fed.content_hash
    WHERE fed.is_new
), seen AS (
    SELECT same_text.alert_id, count(DISTINCT ranking.event_id) AS retrieved,
           count(DISTINCT ranking.event_id) FILTER (WHERE ranking.in_context) AS in_context
    FROM same_text
    JOIN event_ranking AS ranking USING (version_id)
    GROUP BY same_text.alert_id
)
SELECT $first_seq + row_number() OVER (ORDER BY alert_id) AS seq,
       alert_id, $now AS acted_at, $actor AS actor, 'reach' AS kind, retrieved, in_context, '{}' AS payload
FROM seen
ORDER BY seq
