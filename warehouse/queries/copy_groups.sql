-- Grain: one copy group of the last scan of its corpus that looked for copies. Order: raised first, then largest, then id.
-- A caller of some tenants sees groups with a member of theirs, counted over these alone.
-- Parameters: corpus (name or id, empty = any), all_tenants, tenants.
WITH newest AS (
    SELECT corpus_id, max(scan_id) AS scan_id
    FROM scans
    WHERE status = 'finished' AND detector = 'rsg'
      AND contains(summary, '"copy_groups"')
    GROUP BY corpus_id
)
SELECT groups.group_id, corpora.name AS corpus, groups.scan_id, groups.kind, count(*) AS documents,
       CASE WHEN count(*) = groups.documents THEN groups.exact END AS exact,
       count(DISTINCT nullif(coalesce(nullif(versions.parent, ''), versions.source_uri), '')) AS sources,
       count(DISTINCT nullif(versions.contributor, '')) AS contributors,
       groups.least_jaccard, groups.raised, groups.rule, list(members.document_id ORDER BY members.document_id) AS members
FROM newest
JOIN copy_groups AS groups USING (scan_id)
JOIN corpora ON corpora.corpus_id = groups.corpus_id
JOIN copy_members AS members ON members.scan_id = groups.scan_id AND members.group_id = groups.group_id
JOIN document_versions AS versions USING (version_id)
WHERE ($corpus = '' OR $corpus IN (corpora.name, corpora.corpus_id))
  AND ($all_tenants OR list_contains($tenants, members.tenant))
GROUP BY groups.group_id, corpora.name, groups.scan_id, groups.kind, groups.documents, groups.exact, groups.least_jaccard,
         groups.raised, groups.rule
ORDER BY groups.raised DESC, count(*) DESC, groups.group_id
