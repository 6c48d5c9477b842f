-- Blanks the hash of the document's admissions. Parameters: corpus_id, document_id, erasure_id.
UPDATE document_admissions
SET content_hash = 'erased:' || $erasure_id
WHERE corpus_id = $corpus_id AND document_id = $document_id
