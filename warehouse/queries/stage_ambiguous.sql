-- Grain: one staged record whose id an earlier record of the input gave other content. Order: as read.
SELECT ordinal, file, line, document_id, first_ordinal
FROM (SELECT ordinal, file, line, document_id, record_hash,
             first_value(record_hash) OVER input AS first_hash,
             first_value(ordinal) OVER input AS first_ordinal
      FROM stage
      WINDOW input AS (PARTITION BY document_id ORDER BY ordinal))
WHERE record_hash <> first_hash
ORDER BY ordinal
