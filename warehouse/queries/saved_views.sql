-- Grain: one saved view of one person. Order: name. Parameters: actor.
SELECT name, query, acted_at
FROM saved_views
WHERE actor = $actor
QUALIFY row_number() OVER (PARTITION BY name ORDER BY seq DESC) = 1 AND query IS NOT NULL
ORDER BY lower(name), name
