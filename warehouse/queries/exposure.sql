-- Grain: one document version that stored events of a corpus ranked. Order: most often ranked first, then the better
-- rank, then the version. Parameters: corpus (name or id), depth (ranks counted), all_tenants, tenants.
SELECT event_ranking.version_id, count(*) AS exposures, min(event_ranking."rank") AS best_rank
FROM event_ranking
JOIN retrieval_events AS events USING (event_id)
JOIN corpora USING (corpus_id)
WHERE $corpus IN (corpora.name, corpora.corpus_id)
  AND event_ranking."rank" <= $depth
  AND event_ranking.version_id IS NOT NULL
  AND ($all_tenants OR list_contains($tenants, events.tenant))
GROUP BY event_ranking.version_id
ORDER BY exposures DESC, best_rank, event_ranking.version_id
