-- Grain: one canary run with its results that the caller may see. Order: latest first.
-- Parameters: quarantine_id (empty = any), all_tenants, tenants.
SELECT runs.run_id, runs.quarantine_id, runs.publication, runs.acted_at, runs.actor,
       count(DISTINCT seen.event_id) AS queries,
       count(seen.event_id) FILTER (WHERE seen.outcome = 'verified_absent') AS verified_absent,
       count(seen.event_id) FILTER (WHERE seen.outcome = 'still_present') AS still_present,
       count(seen.event_id) FILTER (WHERE seen.outcome = 'restored') AS restored,
       count(seen.event_id) FILTER (WHERE seen.outcome = 'not_restored') AS not_restored,
       count(seen.event_id) FILTER (WHERE seen.outcome = 'unreplayed') AS unreplayed
FROM canary_runs AS runs
LEFT JOIN canary_results AS seen
  ON seen.run_id = runs.run_id
     AND ($all_tenants OR (list_contains($tenants, seen.tenant) AND list_contains($tenants, seen.event_tenant)))
WHERE $quarantine_id = '' OR runs.quarantine_id = $quarantine_id
GROUP BY ALL
ORDER BY runs.run_id DESC
