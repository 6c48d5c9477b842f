-- Grain: one member of a copy group as it was last seen in the corpus. Order: last seen first, then group, document.
-- Parameters: corpus_id, before (scan id).
WITH last AS (
    SELECT group_id, max(scan_id) AS scan_id
    FROM copy_groups
    WHERE corpus_id = $corpus_id AND scan_id < $before
    GROUP BY group_id
)
SELECT last.scan_id, last.group_id, members.document_id
FROM last
JOIN copy_members AS members USING (scan_id, group_id)
ORDER BY last.scan_id DESC, last.group_id, members.document_id
