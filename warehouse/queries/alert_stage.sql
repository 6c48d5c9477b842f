-- Makes the temporary table fed: one row per piece of evidence in the registered relation "evidence", with its alert.
-- is_new: no alert of that id existed. The id is made under the warehouse's own key, so that it tells nobody else the text.
-- Parameters: detector, key.
CREATE OR REPLACE TEMP TABLE fed AS
WITH named AS (
    SELECT 'alert_' || substr(sha256(concat_ws(chr(31), $key, $detector, versions.corpus_id, versions.document_id,
                                               versions.content_hash)), 1, 20) AS alert_id,
           evidence.*,
           versions.corpus_id, versions.tenant, versions.document_id, versions.content_hash, versions.source_uri,
           versions.contributor
    FROM evidence
    JOIN document_versions AS versions USING (version_id)
)
SELECT named.*, alerts.alert_id IS NULL AS is_new
FROM named
LEFT JOIN alerts ON alerts.alert_id = named.alert_id
