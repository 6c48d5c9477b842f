-- Grain: detector and age of alerts that wait (open or claimed). Order: detector, youngest first.
-- Parameters: now (UTC), all_tenants, tenants.
WITH waiting AS (
    SELECT detector, opened_at, date_diff('second', opened_at, $now::TIMESTAMP) / 3600.0 AS hours
    FROM alert_current
    WHERE status IN ('open', 'claimed') AND ($all_tenants OR list_contains($tenants, tenant))
)
SELECT detector,
       CASE WHEN hours < 24 THEN 'under 1 day' WHEN hours < 168 THEN '1 to 7 days'
            WHEN hours < 720 THEN '7 to 30 days' ELSE 'over 30 days' END AS age,
       count(*) AS alerts, min(opened_at) AS oldest_at
FROM waiting
GROUP BY ALL
ORDER BY detector, oldest_at DESC
