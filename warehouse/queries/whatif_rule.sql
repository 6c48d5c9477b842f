-- Grain: one rule with stored scores of a detector over a corpus. Order: the one used last first.
-- Parameters: corpus (name or id), detector (rsq or rsg), all_tenants, tenants.
SELECT rule
FROM (
    SELECT events.rule, max(events.occurred_at) AS used
    FROM retrieval_events AS events
    JOIN corpora USING (corpus_id)
    WHERE $detector = 'rsq' AND $corpus IN (corpora.name, corpora.corpus_id)
      AND ($all_tenants OR list_contains($tenants, events.tenant))
      AND events.event_id IN (SELECT event_id FROM candidate_evidence WHERE score IS NOT NULL)
    GROUP BY events.rule
    UNION ALL
    SELECT scans.rule, max(scans.finished_at) AS used
    FROM scans
    JOIN corpora USING (corpus_id)
    WHERE scans.detector = $detector AND $corpus IN (corpora.name, corpora.corpus_id) AND scans.status = 'finished'
      AND ($all_tenants OR scans.scan_id IN (SELECT scan_id FROM scan_scores WHERE list_contains($tenants, tenant)))
    GROUP BY scans.rule
)
ORDER BY used DESC, rule
