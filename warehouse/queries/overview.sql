-- Grain: one row of counts. Parameters: all_tenants, tenants.
SELECT
    (SELECT count(*) FROM scans WHERE status = 'finished') AS scans,
    (SELECT count(*) FROM retrieval_events WHERE $all_tenants OR list_contains($tenants, tenant)) AS events,
    (SELECT count(*) FROM candidate_evidence JOIN retrieval_events AS events USING (event_id)
     WHERE $all_tenants OR list_contains($tenants, events.tenant)) AS candidates,
    (SELECT count(*) FROM candidate_evidence JOIN retrieval_events AS events USING (event_id)
     WHERE flagged AND ($all_tenants OR list_contains($tenants, events.tenant))) AS flagged_candidates,
    (SELECT count(*) FROM alerts WHERE $all_tenants OR list_contains($tenants, tenant)) AS alerts,
    (SELECT count(*) FROM alert_current
     WHERE status IN ('open', 'claimed') AND ($all_tenants OR list_contains($tenants, tenant))) AS open_alerts,
    (SELECT max(finished_at) FROM scans WHERE status = 'finished') AS last_scan_at,
    (SELECT max(occurred_at) FROM retrieval_events WHERE $all_tenants OR list_contains($tenants, tenant)) AS last_event_at
