-- Grain: one current document that its corpus's policy does not let into retrieval yet, all tenants.
-- after_scan: some finished scan scored this text, and no alert on it waits for a decision or was decided otherwise than
-- keep; where a group of copies has more members than alerts, the others wait for these. after_review: a reviewer admitted this text, or decided keep on an alert on it.
-- Order: corpus, document.
WITH guarded AS (
    SELECT documents.corpus_id, corpus_current.name, corpus_current.admission, documents.document_id,
           documents.tenant, documents.content_hash, documents.version_id
    FROM documents
    JOIN corpus_current USING (corpus_id)
    WHERE NOT documents.tombstoned AND corpus_current.admission <> 'at_once'
), scanned AS (
    SELECT DISTINCT versions.corpus_id, versions.document_id, versions.content_hash
    FROM document_versions AS versions
    SEMI JOIN guarded USING (corpus_id, document_id, content_hash)
    SEMI JOIN scan_scores USING (version_id)
), verdicts AS (
    SELECT corpus_id, document_id, content_hash, bool_and(verdict IS NOT DISTINCT FROM 'keep') AS kept
    FROM alert_current
    GROUP BY corpus_id, document_id, content_hash
), flooded AS (
    SELECT DISTINCT versions.corpus_id, versions.document_id, versions.content_hash
    FROM copy_groups AS groups
    JOIN copy_members AS members USING (scan_id, group_id)
    JOIN document_versions AS versions USING (version_id)
    WHERE groups.raised
      AND groups.group_id IN (SELECT campaign FROM alert_current
                              WHERE detector = 'copies' AND verdict IS DISTINCT FROM 'keep')
)
SELECT guarded.name, guarded.document_id, guarded.tenant
FROM guarded
LEFT JOIN scanned USING (corpus_id, document_id, content_hash)
LEFT JOIN verdicts USING (corpus_id, document_id, content_hash)
LEFT JOIN flooded USING (corpus_id, document_id, content_hash)
LEFT JOIN (SELECT DISTINCT corpus_id, document_id, content_hash FROM document_admissions) AS admitted
    USING (corpus_id, document_id, content_hash)
WHERE NOT CASE guarded.admission
    WHEN 'after_scan' THEN scanned.document_id IS NOT NULL AND coalesce(verdicts.kept, flooded.document_id IS NULL)
    ELSE admitted.document_id IS NOT NULL OR coalesce(verdicts.kept, false)
END
ORDER BY 1, 2
