-- Grain: one event and one document that a version changed, which the event had in its context, or would have had but for
-- the quarantine; of equal questions of a tenant the latest. Order: corpus, document, latest first.
-- Parameters: quarantine_id, most (questions per document), all_tenants, tenants.
SELECT corpora.name AS corpus, changes.corpus_id, changes.document_id, changes.tenant, changes.change, events.event_id,
       events.tenant AS event_tenant, events.query_text, events.snapshot_id, events.encoder_key, ranking."rank"
FROM quarantine_changes AS changes
JOIN corpora USING (corpus_id)
JOIN event_ranking AS ranking USING (document_id)
JOIN retrieval_events AS events ON events.event_id = ranking.event_id AND events.corpus_id = changes.corpus_id
WHERE changes.quarantine_id = $quarantine_id
  AND (ranking.in_context OR (ranking."rank" <= 5 AND ranking.removed_by IN ('quarantine', 'hold', 'rsq')))
  AND ($all_tenants OR (list_contains($tenants, changes.tenant) AND list_contains($tenants, events.tenant)))
QUALIFY row_number() OVER (PARTITION BY changes.corpus_id, changes.document_id, events.tenant, events.query_hash
                           ORDER BY events.occurred_at DESC, events.event_id DESC) = 1
    AND row_number() OVER (PARTITION BY changes.corpus_id, changes.document_id
                           ORDER BY events.occurred_at DESC, events.event_id DESC) <= $most
ORDER BY corpora.name, changes.document_id, events.occurred_at DESC, events.event_id
