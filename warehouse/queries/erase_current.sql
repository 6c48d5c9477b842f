-- Blanks provenance and hash of the document's alerts in their current state. Parameters: corpus_id, document_id, erasure_id.
UPDATE alert_current
SET source_uri = '', contributor = '', content_hash = 'erased:' || $erasure_id || ':' || version_id
WHERE corpus_id = $corpus_id AND document_id = $document_id
