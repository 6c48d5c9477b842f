-- Makes the temporary table moved: documents of compared in both scans with the same text, whose neighbours are not the
-- same set. Sets are compared by count and by the sum of a 64-bit hash of their members: millions of rows stay one pass.
CREATE OR REPLACE TEMP TABLE moved AS
WITH now AS (
    SELECT version_id, count(*) AS number, sum(hash(text_key)::HUGEINT) AS signature FROM near_now GROUP BY version_id
), before AS (
    SELECT version_id, count(*) AS number, sum(hash(neighbor_id)::HUGEINT) AS signature
    FROM near_before
    GROUP BY version_id
)
SELECT compared.version_id
FROM compared
LEFT JOIN now ON now.version_id = compared.version_id
LEFT JOIN before ON before.version_id = compared.previous_id
WHERE compared.same_text AND compared.version_id IS NOT NULL AND compared.previous_id IS NOT NULL
  AND (now.number, now.signature) IS DISTINCT FROM (before.number, before.signature)
