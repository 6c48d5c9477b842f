-- Blanks the hash in the document's quarantine memberships. Parameters: corpus_id, document_id, erasure_id.
UPDATE quarantine_members
SET content_hash = 'erased:' || $erasure_id
WHERE corpus_id = $corpus_id AND document_id = $document_id
