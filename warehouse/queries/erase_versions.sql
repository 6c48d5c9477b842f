-- Blanks the given versions; a bare hash of a text is as good as a guess at it, so that hashes go too.
-- Parameters: versions, erasure_id.
UPDATE document_versions
SET text = '', title = '', source_uri = '', parent = '', contributor = '', licence = '', batch_label = '', metadata = '{}',
    acl = []::VARCHAR[], characters = 0,
    content_hash = 'erased:' || $erasure_id || ':' || version_id, record_hash = 'erased:' || $erasure_id || ':' || version_id
WHERE list_contains($versions, version_id)
