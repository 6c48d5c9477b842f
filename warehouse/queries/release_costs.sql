-- Grain: one released document of one release. Order: latest first.
-- Parameters: corpus (name or id, empty = any), context (documents of an answer), all_tenants, tenants.
WITH published AS (
    SELECT changes.*, steps.acted_at
    FROM quarantine_changes AS changes
    JOIN quarantine_events AS steps ON steps.quarantine_id = changes.quarantine_id AND steps.kind = 'published'
), released AS (
    SELECT gone.corpus_id, gone.document_id, gone.tenant, gone.quarantine_id, gone.reason, gone.proposer AS actor,
           gone.acted_at AS released_at,
           (SELECT max(came.acted_at) FROM published AS came
            WHERE came.change = 'added' AND came.corpus_id = gone.corpus_id AND came.document_id = gone.document_id
              AND came.acted_at <= gone.acted_at) AS entered_at
    FROM published AS gone
    WHERE gone.change = 'removed' AND gone.cause IN ('release', 'undo')
), left_out AS (
    SELECT released.quarantine_id, released.corpus_id, released.document_id,
           count(DISTINCT events.query_hash) AS queries_changed, count(DISTINCT events.event_id) AS answers_affected
    FROM released
    JOIN event_ranking AS ranking ON ranking.document_id = released.document_id AND ranking.removed_by = 'quarantine'
                                 AND ranking."rank" <= $context
    JOIN retrieval_events AS events ON events.event_id = ranking.event_id AND events.corpus_id = released.corpus_id
                                   AND events.occurred_at BETWEEN released.entered_at AND released.released_at
    GROUP BY ALL
)
SELECT corpora.name AS corpus, released.document_id, released.tenant, coalesce(origin.source_uri, '') AS source_uri,
       coalesce(origin.contributor, '') AS contributor, released.quarantine_id, released.entered_at,
       released.released_at, coalesce(left_out.queries_changed, 0) AS queries_changed,
       coalesce(left_out.answers_affected, 0) AS answers_affected, released.reason, released.actor
FROM released
JOIN corpora USING (corpus_id)
LEFT JOIN left_out USING (quarantine_id, corpus_id, document_id)
LEFT JOIN (SELECT corpus_id, document_id, arg_max(source_uri, version_id) AS source_uri,
                  arg_max(contributor, version_id) AS contributor
           FROM document_versions GROUP BY ALL) AS origin
    ON origin.corpus_id = released.corpus_id AND origin.document_id = released.document_id
WHERE released.entered_at IS NOT NULL AND ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($all_tenants OR list_contains($tenants, released.tenant))
ORDER BY released.released_at DESC, corpora.name, released.document_id
