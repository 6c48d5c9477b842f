-- Removes the records that stage_ambiguous lists.
DELETE FROM stage
WHERE ordinal IN (
    SELECT ordinal
    FROM (SELECT ordinal, record_hash,
                 first_value(record_hash) OVER (PARTITION BY document_id ORDER BY ordinal) AS first_hash
          FROM stage)
    WHERE record_hash <> first_hash
)
