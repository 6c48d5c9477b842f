-- Grain: one document of the input with the version that holds its content and the record it stands in first.
-- Order: version_id.
SELECT min(ordinal) AS ordinal, version_id
FROM placed
WHERE version_id IS NOT NULL
GROUP BY version_id
ORDER BY version_id
