-- Grain: one ranked document that the caller may see, of an event of compare_events. Order: event, rank.
-- in_a, in_b: a member of these quarantine versions, by id; for a gate, which looks at the text as well, also by text.
-- Parameters: a, b (quarantine ids, empty = none), corpus_id, source, rule, condition, event_id (empty = any),
-- all_tenants, tenants.
WITH events AS (
    SELECT event_id, source
    FROM retrieval_events
    WHERE corpus_id = $corpus_id
      AND ($source = '' OR source = $source)
      AND ($rule = '' OR rule = $rule)
      AND ($condition = '' OR condition = $condition)
      AND ($event_id = '' OR event_id = $event_id)
      AND ($all_tenants OR list_contains($tenants, tenant))
), members AS (
    SELECT quarantine_id, document_id, content_hash
    FROM quarantine_members
    WHERE corpus_id = $corpus_id AND quarantine_id IN ($a, $b)
), ids AS (
    SELECT document_id, bool_or(quarantine_id = $a) AS in_a, bool_or(quarantine_id = $b) AS in_b
    FROM members
    GROUP BY document_id
), texts AS (
    SELECT content_hash, bool_or(quarantine_id = $a) AS in_a, bool_or(quarantine_id = $b) AS in_b
    FROM members
    WHERE content_hash <> ''
    GROUP BY content_hash
)
SELECT ranking.event_id, ranking."rank", ranking.document_id, ranking.version_id, ranking.removed_by,
       versions.text IS NOT NULL AS has_text, evidence.e_anchor, evidence.e_script, evidence.e_surprisal,
       evidence.e_alignment, coalesce(ids.in_a, false) OR coalesce(texts.in_a, false) AS in_a,
       coalesce(ids.in_b, false) OR coalesce(texts.in_b, false) AS in_b
FROM event_ranking AS ranking
JOIN events USING (event_id)
LEFT JOIN document_versions AS versions ON versions.version_id = ranking.version_id
LEFT JOIN candidate_evidence AS evidence
  ON evidence.event_id = ranking.event_id AND evidence.document_id = ranking.document_id AND evidence.score IS NOT NULL
LEFT JOIN ids ON ids.document_id = ranking.document_id
LEFT JOIN texts ON texts.content_hash = versions.content_hash AND events.source = 'gate'
WHERE $all_tenants OR versions.version_id IS NULL OR list_contains($tenants, versions.tenant)
ORDER BY ranking.event_id, ranking."rank"
