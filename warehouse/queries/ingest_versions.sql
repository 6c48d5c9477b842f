-- Appends the new document versions of the staged input, in input order. Parameters: corpus_id, batch_id, now.
INSERT INTO document_versions BY NAME
SELECT placed.version_id, $corpus_id AS corpus_id, stage.document_id, placed.version_no, 'ingest' AS origin,
       stage.content_hash, stage.record_hash, stage.title, stage.text, stage.source_uri, stage.parent, stage.contributor,
       stage.tenant, stage.acl, stage.licence, stage.batch_label, stage.metadata, stage.characters,
       $batch_id AS batch_id, $now AS ingested_at
FROM placed
JOIN stage USING (ordinal)
WHERE placed.is_new
ORDER BY placed.version_id
