-- The first schema: what is ingested, scanned, retrieved and flagged, and the chain that records it.
-- Keys only on small tables: a unique index slows bulk inserts threefold, and uniqueness is kept by anti-joins under
-- the one write lock. No ENUM (cannot be extended), no foreign key (blocks later migrations). TIMESTAMP is UTC.

CREATE TABLE schema_migrations (
    number     INTEGER PRIMARY KEY,
    name       VARCHAR NOT NULL,
    sha256     VARCHAR NOT NULL,
    applied_at TIMESTAMP NOT NULL,
    version    VARCHAR NOT NULL
);
COMMENT ON TABLE schema_migrations IS 'Ledger: one row per applied migration, written in the transaction of the change itself.';
COMMENT ON COLUMN schema_migrations.number IS 'Number in the file name, 1, 2, … without a gap.';
COMMENT ON COLUMN schema_migrations.name IS 'Rest of the file name.';
COMMENT ON COLUMN schema_migrations.sha256 IS 'SHA-256 (hex) of the migration file as it was applied.';
COMMENT ON COLUMN schema_migrations.applied_at IS 'UTC.';
COMMENT ON COLUMN schema_migrations.version IS 'Version of the product that applied it.';

CREATE TABLE warehouse_facts (
    name  VARCHAR PRIMARY KEY,
    value VARCHAR NOT NULL
);
COMMENT ON TABLE warehouse_facts IS 'Facts of this file, written once when it is made.';
COMMENT ON COLUMN warehouse_facts.name IS 'warehouse_id, created_at or query_key.';
COMMENT ON COLUMN warehouse_facts.value IS 'Its value. query_key is the secret (hex) under which query texts are hashed: a bare hash of a short query could be guessed.';

CREATE TABLE corpora (
    corpus_id  VARCHAR PRIMARY KEY,
    name       VARCHAR NOT NULL,
    created_at TIMESTAMP NOT NULL,
    created_by VARCHAR NOT NULL
);
COMMENT ON TABLE corpora IS 'One row per corpus. What can change of it is in corpus_policies.';
COMMENT ON COLUMN corpora.corpus_id IS 'Derived from the name.';
COMMENT ON COLUMN corpora.name IS 'Unique name a user types.';
COMMENT ON COLUMN corpora.created_at IS 'UTC.';
COMMENT ON COLUMN corpora.created_by IS 'Identity of the principal.';

CREATE TABLE corpus_policies (
    seq       BIGINT NOT NULL,
    corpus_id VARCHAR NOT NULL,
    admission VARCHAR NOT NULL,
    acted_at  TIMESTAMP NOT NULL,
    actor     VARCHAR NOT NULL
);
COMMENT ON TABLE corpus_policies IS 'Append-only: the admission policy of a corpus over time; the row with the highest seq is in force.';
COMMENT ON COLUMN corpus_policies.seq IS 'Rises by one over the whole table.';
COMMENT ON COLUMN corpus_policies.corpus_id IS 'Corpus.';
COMMENT ON COLUMN corpus_policies.admission IS 'When a new document may be retrieved: at_once, after_scan or after_review.';
COMMENT ON COLUMN corpus_policies.acted_at IS 'UTC.';
COMMENT ON COLUMN corpus_policies.actor IS 'Who set it.';

CREATE TABLE ingest_batches (
    batch_id    VARCHAR NOT NULL,
    corpus_id   VARCHAR NOT NULL,
    label       VARCHAR NOT NULL,
    input_name  VARCHAR NOT NULL,
    actor       VARCHAR NOT NULL,
    started_at  TIMESTAMP NOT NULL,
    finished_at TIMESTAMP NOT NULL,
    records     BIGINT NOT NULL,
    accepted    BIGINT NOT NULL,
    duplicates  BIGINT NOT NULL,
    rejected    BIGINT NOT NULL,
    tombstoned  BIGINT NOT NULL,
    snapshot_id VARCHAR,
    full_ingest BOOLEAN NOT NULL,
    segment_id  VARCHAR
);
COMMENT ON TABLE ingest_batches IS 'One row per finished ingest; rows of a batch are there whole or not at all.';
COMMENT ON COLUMN ingest_batches.batch_id IS 'batch_ + time + random.';
COMMENT ON COLUMN ingest_batches.corpus_id IS 'Corpus.';
COMMENT ON COLUMN ingest_batches.label IS 'Label the user gave the batch, may be empty.';
COMMENT ON COLUMN ingest_batches.input_name IS 'Name of the input (no folder), may be empty.';
COMMENT ON COLUMN ingest_batches.actor IS 'Who ingested.';
COMMENT ON COLUMN ingest_batches.started_at IS 'UTC.';
COMMENT ON COLUMN ingest_batches.finished_at IS 'UTC.';
COMMENT ON COLUMN ingest_batches.records IS 'Records read: accepted + duplicates + rejected.';
COMMENT ON COLUMN ingest_batches.accepted IS 'Records that became document versions.';
COMMENT ON COLUMN ingest_batches.duplicates IS 'Records equal to the current version, or to an earlier record of the input.';
COMMENT ON COLUMN ingest_batches.rejected IS 'Records that failed a check; listed in the rejects file.';
COMMENT ON COLUMN ingest_batches.tombstoned IS 'Documents that a full ingest no longer held.';
COMMENT ON COLUMN ingest_batches.snapshot_id IS 'Snapshot after the batch; null while the corpus is empty.';
COMMENT ON COLUMN ingest_batches.full_ingest IS 'True where absent ids were to be tombstoned.';
COMMENT ON COLUMN ingest_batches.segment_id IS 'Inbox segment it came in, null where the owner read the input itself.';

CREATE TABLE document_versions (
    version_id   BIGINT NOT NULL,
    corpus_id    VARCHAR NOT NULL,
    document_id  VARCHAR NOT NULL,
    version_no   INTEGER NOT NULL,
    origin       VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    record_hash  VARCHAR NOT NULL,
    title        VARCHAR NOT NULL,
    text         VARCHAR NOT NULL,
    source_uri   VARCHAR NOT NULL,
    parent       VARCHAR NOT NULL,
    contributor  VARCHAR NOT NULL,
    tenant       VARCHAR NOT NULL,
    acl          VARCHAR[] NOT NULL,
    licence      VARCHAR NOT NULL,
    batch_label  VARCHAR NOT NULL,
    metadata     VARCHAR NOT NULL,
    characters   INTEGER NOT NULL,
    batch_id     VARCHAR NOT NULL,
    ingested_at  TIMESTAMP NOT NULL
);
COMMENT ON TABLE document_versions IS 'One row per version of a document; never updated. A text or provenance that changes under the same id is a new version. Erasure alone blanks text.';
COMMENT ON COLUMN document_versions.version_id IS 'Names this version for ever; rises with ingestion over all corpora.';
COMMENT ON COLUMN document_versions.corpus_id IS 'Corpus.';
COMMENT ON COLUMN document_versions.document_id IS 'Id within the corpus.';
COMMENT ON COLUMN document_versions.version_no IS '1, 2, … within the document; 0 for a text only seen in a retrieval event.';
COMMENT ON COLUMN document_versions.origin IS 'ingest, or event: seen in a ranking but never ingested, kept so that its evidence can be shown; no snapshot holds it.';
COMMENT ON COLUMN document_versions.content_hash IS 'SHA-256 (hex) of the document text over normalised bytes (NFC, newlines): equal text, equal hash.';
COMMENT ON COLUMN document_versions.record_hash IS 'SHA-256 (hex) over content hash, title and every provenance field save batch: equal means nothing changed.';
COMMENT ON COLUMN document_versions.title IS 'May be empty.';
COMMENT ON COLUMN document_versions.text IS 'Body without the title; hostile, show it as text only. Empty once erased.';
COMMENT ON COLUMN document_versions.source_uri IS 'Where it came from, may be empty.';
COMMENT ON COLUMN document_versions.parent IS 'Parent document of a chunk, may be empty.';
COMMENT ON COLUMN document_versions.contributor IS 'Who put it in, may be empty.';
COMMENT ON COLUMN document_versions.tenant IS 'Tenant whose principals may see it.';
COMMENT ON COLUMN document_versions.acl IS 'Group labels a caller needs one of; empty means everyone of the tenant.';
COMMENT ON COLUMN document_versions.licence IS 'May be empty.';
COMMENT ON COLUMN document_versions.batch_label IS 'Label of the record or its batch.';
COMMENT ON COLUMN document_versions.metadata IS 'Free metadata, JSON object.';
COMMENT ON COLUMN document_versions.characters IS 'Length of the body in characters.';
COMMENT ON COLUMN document_versions.batch_id IS 'Ingest batch, or the event batch it was seen in.';
COMMENT ON COLUMN document_versions.ingested_at IS 'UTC.';

CREATE TABLE document_tombstones (
    corpus_id   VARCHAR NOT NULL,
    document_id VARCHAR NOT NULL,
    version_id  BIGINT NOT NULL,
    reason      VARCHAR NOT NULL,
    batch_id    VARCHAR,
    acted_at    TIMESTAMP NOT NULL,
    actor       VARCHAR NOT NULL
);
COMMENT ON TABLE document_tombstones IS 'Append-only: the version after which a document was gone. A later version brings it back.';
COMMENT ON COLUMN document_tombstones.corpus_id IS 'Corpus.';
COMMENT ON COLUMN document_tombstones.document_id IS 'Document.';
COMMENT ON COLUMN document_tombstones.version_id IS 'Its last version at that moment.';
COMMENT ON COLUMN document_tombstones.reason IS 'vanished (absent from a full ingest), removed or erased.';
COMMENT ON COLUMN document_tombstones.batch_id IS 'Ingest batch that found it gone.';
COMMENT ON COLUMN document_tombstones.acted_at IS 'UTC.';
COMMENT ON COLUMN document_tombstones.actor IS 'Who.';

CREATE TABLE encoders (
    encoder_key   VARCHAR PRIMARY KEY,
    name          VARCHAR NOT NULL,
    dimension     INTEGER NOT NULL,
    parameters    VARCHAR NOT NULL,
    registered_at TIMESTAMP NOT NULL,
    registered_by VARCHAR NOT NULL
);
COMMENT ON TABLE encoders IS 'One row per encoder key ever used.';
COMMENT ON COLUMN encoders.encoder_key IS 'Names every parameter that changes a vector.';
COMMENT ON COLUMN encoders.name IS 'Short name to show.';
COMMENT ON COLUMN encoders.dimension IS 'Length of a vector.';
COMMENT ON COLUMN encoders.parameters IS 'All parameters, JSON object.';
COMMENT ON COLUMN encoders.registered_at IS 'UTC.';
COMMENT ON COLUMN encoders.registered_by IS 'Who used it first.';

CREATE TABLE embedding_segments (
    segment_id  VARCHAR PRIMARY KEY,
    encoder_key VARCHAR NOT NULL,
    corpus_id   VARCHAR NOT NULL,
    rows        BIGINT NOT NULL,
    dimension   INTEGER NOT NULL,
    file        VARCHAR NOT NULL,
    bytes       BIGINT NOT NULL,
    created_at  TIMESTAMP NOT NULL,
    created_by  VARCHAR NOT NULL
);
COMMENT ON TABLE embedding_segments IS 'One row per immutable .npy file of unit vectors (float32, C order) under embeddings/.';
COMMENT ON COLUMN embedding_segments.segment_id IS 'SHA-256 (hex) of the file''s bytes.';
COMMENT ON COLUMN embedding_segments.encoder_key IS 'Encoder.';
COMMENT ON COLUMN embedding_segments.corpus_id IS 'Corpus.';
COMMENT ON COLUMN embedding_segments.rows IS 'Vectors in the file.';
COMMENT ON COLUMN embedding_segments.dimension IS 'Length of a vector.';
COMMENT ON COLUMN embedding_segments.file IS 'Path relative to the folder beside the warehouse.';
COMMENT ON COLUMN embedding_segments.bytes IS 'Size of the file.';
COMMENT ON COLUMN embedding_segments.created_at IS 'UTC.';
COMMENT ON COLUMN embedding_segments.created_by IS 'Who.';

CREATE TABLE embedding_rows (
    segment_id    VARCHAR NOT NULL,
    encoder_key   VARCHAR NOT NULL,
    first_row     BIGINT NOT NULL,
    first_version BIGINT NOT NULL,
    row_count     BIGINT NOT NULL
);
COMMENT ON TABLE embedding_rows IS 'Which vector belongs to which version, as runs: row first_row + i holds the vector of version first_version + i.';
COMMENT ON COLUMN embedding_rows.segment_id IS 'File.';
COMMENT ON COLUMN embedding_rows.encoder_key IS 'Encoder of the file.';
COMMENT ON COLUMN embedding_rows.first_row IS 'Counts from 0.';
COMMENT ON COLUMN embedding_rows.first_version IS 'Version of that row.';
COMMENT ON COLUMN embedding_rows.row_count IS 'Length of the run.';

CREATE TABLE snapshots (
    snapshot_id  VARCHAR NOT NULL,
    corpus_id    VARCHAR NOT NULL,
    sequence     INTEGER NOT NULL,
    parent_id    VARCHAR,
    batch_id     VARCHAR,
    documents    BIGINT NOT NULL,
    members_hash VARCHAR NOT NULL,
    created_at   TIMESTAMP NOT NULL,
    created_by   VARCHAR NOT NULL
);
COMMENT ON TABLE snapshots IS 'A fixed set of document versions of one corpus.';
COMMENT ON COLUMN snapshots.snapshot_id IS 'Derived from corpus and members: the same set has the same id.';
COMMENT ON COLUMN snapshots.corpus_id IS 'Corpus.';
COMMENT ON COLUMN snapshots.sequence IS '1, 2, … within the corpus; the highest is the latest.';
COMMENT ON COLUMN snapshots.parent_id IS 'Snapshot before it.';
COMMENT ON COLUMN snapshots.batch_id IS 'Ingest that made it.';
COMMENT ON COLUMN snapshots.documents IS 'Members.';
COMMENT ON COLUMN snapshots.members_hash IS 'SHA-256 (hex) over the runs of version ids.';
COMMENT ON COLUMN snapshots.created_at IS 'UTC.';
COMMENT ON COLUMN snapshots.created_by IS 'Who.';

CREATE TABLE snapshot_members (
    snapshot_id   VARCHAR NOT NULL,
    first_version BIGINT NOT NULL,
    last_version  BIGINT NOT NULL
);
COMMENT ON TABLE snapshot_members IS 'Members as runs of version ids, both ends included: 128,544 documents of one ingest are one row.';
COMMENT ON COLUMN snapshot_members.snapshot_id IS 'Snapshot.';
COMMENT ON COLUMN snapshot_members.first_version IS 'First member of the run.';
COMMENT ON COLUMN snapshot_members.last_version IS 'Last member of the run.';

CREATE TABLE scans (
    scan_id        VARCHAR NOT NULL,
    scan_key       VARCHAR NOT NULL,
    corpus_id      VARCHAR NOT NULL,
    snapshot_id    VARCHAR NOT NULL,
    detector       VARCHAR NOT NULL,
    rule           VARCHAR NOT NULL,
    config         VARCHAR NOT NULL,
    config_key     VARCHAR NOT NULL,
    encoder_key    VARCHAR,
    model_versions VARCHAR NOT NULL,
    code_version   VARCHAR NOT NULL,
    threshold      DOUBLE NOT NULL,
    status         VARCHAR NOT NULL,
    state          VARCHAR NOT NULL,
    documents      BIGINT NOT NULL,
    flagged        BIGINT NOT NULL,
    summary        VARCHAR NOT NULL,
    started_at     TIMESTAMP NOT NULL,
    finished_at    TIMESTAMP NOT NULL,
    seconds        DOUBLE NOT NULL,
    error          VARCHAR,
    actor          VARCHAR NOT NULL,
    segment_id     VARCHAR
);
COMMENT ON TABLE scans IS 'One row per ended scan, written together with all its scores; an unfinished scan leaves nothing.';
COMMENT ON COLUMN scans.scan_id IS 'scan_ + time + random.';
COMMENT ON COLUMN scans.scan_key IS 'Derived from snapshot, detector, config, encoder, models and code: an equal scan is not stored twice.';
COMMENT ON COLUMN scans.corpus_id IS 'Corpus.';
COMMENT ON COLUMN scans.snapshot_id IS 'What was scanned.';
COMMENT ON COLUMN scans.detector IS 'rsg, or the name of a baseline.';
COMMENT ON COLUMN scans.rule IS 'Name of the preset: paper, calibrated, …';
COMMENT ON COLUMN scans.config IS 'Every parameter, JSON object.';
COMMENT ON COLUMN scans.config_key IS 'Key over every parameter.';
COMMENT ON COLUMN scans.encoder_key IS 'Whose vectors were compared; null where the detector uses none.';
COMMENT ON COLUMN scans.model_versions IS 'Weights used, JSON object of name to hash.';
COMMENT ON COLUMN scans.code_version IS 'Version of the product.';
COMMENT ON COLUMN scans.threshold IS 'Score from which a document is flagged.';
COMMENT ON COLUMN scans.status IS 'finished or failed.';
COMMENT ON COLUMN scans.state IS 'ok, or a named state of the whole scan (for instance topology_silent).';
COMMENT ON COLUMN scans.documents IS 'Documents scored.';
COMMENT ON COLUMN scans.flagged IS 'Documents flagged.';
COMMENT ON COLUMN scans.summary IS 'Figures of the whole scan, JSON object.';
COMMENT ON COLUMN scans.started_at IS 'UTC.';
COMMENT ON COLUMN scans.finished_at IS 'UTC.';
COMMENT ON COLUMN scans.seconds IS 'Wall time of the scan itself.';
COMMENT ON COLUMN scans.error IS 'Why it failed.';
COMMENT ON COLUMN scans.actor IS 'Who ran it.';
COMMENT ON COLUMN scans.segment_id IS 'Inbox segment it came in.';

CREATE TABLE scan_scores (
    scan_id            VARCHAR NOT NULL,
    version_id         BIGINT NOT NULL,
    document_id        VARCHAR NOT NULL,
    tenant             VARCHAR NOT NULL,
    floor              DOUBLE,
    eligible_neighbors INTEGER,
    density            DOUBLE,
    tail_probability   DOUBLE,
    integrity          DOUBLE,
    topology_score     DOUBLE,
    score              DOUBLE NOT NULL,
    flagged            BOOLEAN NOT NULL,
    campaign           INTEGER,
    detail             VARCHAR
);
COMMENT ON TABLE scan_scores IS 'One row per document version of a scan. Higher scores are more suspicious.';
COMMENT ON COLUMN scan_scores.scan_id IS 'Scan.';
COMMENT ON COLUMN scan_scores.version_id IS 'Document version.';
COMMENT ON COLUMN scan_scores.document_id IS 'Of that version, repeated so that a million rows can be searched and sorted without a join.';
COMMENT ON COLUMN scan_scores.tenant IS 'Of that version, repeated for the same reason.';
COMMENT ON COLUMN scan_scores.floor IS 'b_i: cosine of the last of the k_G nearest neighbours, -1 to 1.';
COMMENT ON COLUMN scan_scores.eligible_neighbors IS '|N_i|: retained neighbours.';
COMMENT ON COLUMN scan_scores.density IS 'D_i, 0 to 1.';
COMMENT ON COLUMN scan_scores.tail_probability IS 'Share of documents at least as dense, over N + 1; in (0, 1].';
COMMENT ON COLUMN scan_scores.integrity IS 'I_i, 0 or 1.';
COMMENT ON COLUMN scan_scores.topology_score IS '0 to 1.';
COMMENT ON COLUMN scan_scores.score IS 'What the rule compares with the threshold.';
COMMENT ON COLUMN scan_scores.flagged IS 'score >= threshold. A triage signal; not ''false'', ''malicious'' or ''delete''.';
COMMENT ON COLUMN scan_scores.campaign IS 'Number of its connected group within the scan, null where it is in none.';
COMMENT ON COLUMN scan_scores.detail IS 'Further evidence of the rule, JSON object.';

CREATE TABLE scan_neighbors (
    scan_id     VARCHAR NOT NULL,
    version_id  BIGINT NOT NULL,
    position    INTEGER NOT NULL,
    neighbor_id BIGINT NOT NULL,
    cosine      DOUBLE NOT NULL,
    jaccard     DOUBLE NOT NULL,
    retained    BOOLEAN NOT NULL,
    reason      VARCHAR NOT NULL
);
COMMENT ON TABLE scan_neighbors IS 'All k_G neighbours of a document version, retained or not.';
COMMENT ON COLUMN scan_neighbors.scan_id IS 'Scan.';
COMMENT ON COLUMN scan_neighbors.version_id IS 'Document version.';
COMMENT ON COLUMN scan_neighbors.position IS '1 = nearest.';
COMMENT ON COLUMN scan_neighbors.neighbor_id IS 'Version of the neighbour.';
COMMENT ON COLUMN scan_neighbors.cosine IS '-1 to 1.';
COMMENT ON COLUMN scan_neighbors.jaccard IS 'Word-set overlap, 0 to 1.';
COMMENT ON COLUMN scan_neighbors.retained IS 'True where it counts as evidence.';
COMMENT ON COLUMN scan_neighbors.reason IS 'Why not; empty where retained.';

CREATE TABLE retrieval_events (
    event_id           VARCHAR NOT NULL,
    batch_id           VARCHAR NOT NULL,
    source             VARCHAR NOT NULL,
    corpus_id          VARCHAR NOT NULL,
    tenant             VARCHAR NOT NULL,
    query_id           VARCHAR NOT NULL,
    query_text         VARCHAR,
    query_hash         VARCHAR NOT NULL,
    condition          VARCHAR NOT NULL,
    snapshot_id        VARCHAR,
    index_version      VARCHAR,
    quarantine_version VARCHAR,
    encoder_key        VARCHAR,
    rule               VARCHAR NOT NULL,
    config             VARCHAR NOT NULL,
    config_key         VARCHAR NOT NULL,
    model_versions     VARCHAR NOT NULL,
    code_version       VARCHAR NOT NULL,
    threshold          DOUBLE NOT NULL,
    state              VARCHAR NOT NULL,
    state_detail       VARCHAR NOT NULL,
    latency_ms         DOUBLE,
    refill_depth       INTEGER,
    occurred_at        TIMESTAMP NOT NULL,
    recorded_at        TIMESTAMP NOT NULL,
    actor              VARCHAR NOT NULL,
    segment_id         VARCHAR
);
COMMENT ON TABLE retrieval_events IS 'One row per query that was answered or replayed, with the ranking as it was in event_ranking.';
COMMENT ON COLUMN retrieval_events.event_id IS 'Given by the gate, or derived from the content, so that replaying a file twice adds nothing.';
COMMENT ON COLUMN retrieval_events.batch_id IS 'Recorded together.';
COMMENT ON COLUMN retrieval_events.source IS 'replay, query or gate.';
COMMENT ON COLUMN retrieval_events.corpus_id IS 'Corpus.';
COMMENT ON COLUMN retrieval_events.tenant IS 'Tenant of the caller.';
COMMENT ON COLUMN retrieval_events.query_id IS 'Id in the input, may be empty.';
COMMENT ON COLUMN retrieval_events.query_text IS 'Null where the policy stores the hash alone. Hostile, show it as text only.';
COMMENT ON COLUMN retrieval_events.query_hash IS 'HMAC-SHA-256 (hex) of the query under query_key.';
COMMENT ON COLUMN retrieval_events.condition IS 'clean, the name of an attack, or empty.';
COMMENT ON COLUMN retrieval_events.snapshot_id IS 'Snapshot that was searched.';
COMMENT ON COLUMN retrieval_events.index_version IS 'The caller''s own name of its index.';
COMMENT ON COLUMN retrieval_events.quarantine_version IS 'Version in force; null before the first.';
COMMENT ON COLUMN retrieval_events.encoder_key IS 'Retriever.';
COMMENT ON COLUMN retrieval_events.rule IS 'Preset of RSQ.';
COMMENT ON COLUMN retrieval_events.config IS 'Every parameter, JSON object.';
COMMENT ON COLUMN retrieval_events.config_key IS 'Key over every parameter.';
COMMENT ON COLUMN retrieval_events.model_versions IS 'Weights used, JSON object.';
COMMENT ON COLUMN retrieval_events.code_version IS 'Version of the product.';
COMMENT ON COLUMN retrieval_events.threshold IS 'Score from which a candidate leaves.';
COMMENT ON COLUMN retrieval_events.state IS 'ok, tail_contaminated, tail_too_short, empty, or the gate''s own states.';
COMMENT ON COLUMN retrieval_events.state_detail IS 'Share and ids behind the state, JSON object.';
COMMENT ON COLUMN retrieval_events.latency_ms IS 'Time of the answer, milliseconds.';
COMMENT ON COLUMN retrieval_events.refill_depth IS 'Rank of the last document used for refill.';
COMMENT ON COLUMN retrieval_events.occurred_at IS 'When it was asked, UTC.';
COMMENT ON COLUMN retrieval_events.recorded_at IS 'When it was stored, UTC.';
COMMENT ON COLUMN retrieval_events.actor IS 'Who recorded it.';
COMMENT ON COLUMN retrieval_events.segment_id IS 'Inbox segment it came in.';

CREATE TABLE event_ranking (
    event_id    VARCHAR NOT NULL,
    rank        INTEGER NOT NULL,
    document_id VARCHAR NOT NULL,
    version_id  BIGINT,
    similarity  DOUBLE,
    in_context  BOOLEAN NOT NULL,
    removed_by  VARCHAR NOT NULL
);
COMMENT ON TABLE event_ranking IS 'One row per ranked document of an event, as the retriever gave it.';
COMMENT ON COLUMN event_ranking.event_id IS 'Event.';
COMMENT ON COLUMN event_ranking.rank IS 'Counts from 1.';
COMMENT ON COLUMN event_ranking.document_id IS 'Id as the retriever named it.';
COMMENT ON COLUMN event_ranking.version_id IS 'The version that was ranked; null where its text is not known here.';
COMMENT ON COLUMN event_ranking.similarity IS 'The retriever''s own score, null if unknown.';
COMMENT ON COLUMN event_ranking.in_context IS 'True where the final context held it.';
COMMENT ON COLUMN event_ranking.removed_by IS 'Empty, or what took it out: quarantine, hold, rsg, rsq, unscored.';

CREATE TABLE candidate_evidence (
    event_id       VARCHAR NOT NULL,
    rank           INTEGER NOT NULL,
    document_id    VARCHAR NOT NULL,
    version_id     BIGINT,
    p_anchor       DOUBLE,
    e_anchor       DOUBLE,
    v_script       DOUBLE,
    p_script       DOUBLE,
    e_script       DOUBLE,
    burst_8        DOUBLE,
    change_8       DOUBLE,
    burst_16       DOUBLE,
    change_16      DOUBLE,
    e_surprisal    DOUBLE,
    alignment_jump DOUBLE,
    p_alignment    DOUBLE,
    e_alignment    DOUBLE,
    score          DOUBLE,
    flagged        BOOLEAN NOT NULL,
    removed        BOOLEAN NOT NULL,
    anchors        VARCHAR NOT NULL,
    script_runs    VARCHAR NOT NULL,
    surprisal      VARCHAR NOT NULL,
    alignment      VARCHAR NOT NULL,
    tail           VARCHAR NOT NULL
);
COMMENT ON TABLE candidate_evidence IS 'One row per candidate (first k after RSG and quarantine) of an event: the four terms and what each is made of.';
COMMENT ON COLUMN candidate_evidence.event_id IS 'Event.';
COMMENT ON COLUMN candidate_evidence.rank IS 'Rank among the documents that RSQ saw, from 1.';
COMMENT ON COLUMN candidate_evidence.document_id IS 'Document.';
COMMENT ON COLUMN candidate_evidence.version_id IS 'Version.';
COMMENT ON COLUMN candidate_evidence.p_anchor IS 'p_a, (0, 1].';
COMMENT ON COLUMN candidate_evidence.e_anchor IS 'Answer-anchor concentration.';
COMMENT ON COLUMN candidate_evidence.v_script IS '1 - share of the dominant script, 0 to 1.';
COMMENT ON COLUMN candidate_evidence.p_script IS 'Mid-rank of v_script against the tail.';
COMMENT ON COLUMN candidate_evidence.e_script IS 'Script integrity.';
COMMENT ON COLUMN candidate_evidence.burst_8 IS 'B_8, nats.';
COMMENT ON COLUMN candidate_evidence.change_8 IS 'C_8, nats.';
COMMENT ON COLUMN candidate_evidence.burst_16 IS 'B_16, nats.';
COMMENT ON COLUMN candidate_evidence.change_16 IS 'C_16, nats.';
COMMENT ON COLUMN candidate_evidence.e_surprisal IS 'Surprisal.';
COMMENT ON COLUMN candidate_evidence.alignment_jump IS 'J, 0 to 2.';
COMMENT ON COLUMN candidate_evidence.p_alignment IS 'Mid-rank of J against the tail.';
COMMENT ON COLUMN candidate_evidence.e_alignment IS 'Query alignment.';
COMMENT ON COLUMN candidate_evidence.score IS 'Sum the rule compares with the threshold; null where the candidate is unscored.';
COMMENT ON COLUMN candidate_evidence.flagged IS 'score >= threshold. A triage signal.';
COMMENT ON COLUMN candidate_evidence.removed IS 'True where it left the context.';
COMMENT ON COLUMN candidate_evidence.anchors IS 'Tested tokens, JSON list of {token, K, x, p}.';
COMMENT ON COLUMN candidate_evidence.script_runs IS 'Runs of one script, JSON list of {script, start, end}.';
COMMENT ON COLUMN candidate_evidence.surprisal IS 'NLL trace and the places of burst and change, JSON object.';
COMMENT ON COLUMN candidate_evidence.alignment IS 'F1 per window and the place of the jump, JSON object.';
COMMENT ON COLUMN candidate_evidence.tail IS 'Values of the tail that the candidate was ranked against, JSON object.';

CREATE TABLE alerts (
    alert_id     VARCHAR NOT NULL,
    detector     VARCHAR NOT NULL,
    corpus_id    VARCHAR NOT NULL,
    tenant       VARCHAR NOT NULL,
    version_id   BIGINT NOT NULL,
    document_id  VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    source_uri   VARCHAR NOT NULL,
    contributor  VARCHAR NOT NULL,
    opened_at    TIMESTAMP NOT NULL,
    threshold    DOUBLE NOT NULL
);
COMMENT ON TABLE alerts IS 'One row per detector and document text that was ever flagged. What happens to it is in alert_events.';
COMMENT ON COLUMN alerts.alert_id IS 'Derived from detector, corpus, document and content hash: the same text is not alerted twice.';
COMMENT ON COLUMN alerts.detector IS 'rsg or rsq.';
COMMENT ON COLUMN alerts.corpus_id IS 'Corpus.';
COMMENT ON COLUMN alerts.tenant IS 'Tenant of the document.';
COMMENT ON COLUMN alerts.version_id IS 'Version it was first flagged in.';
COMMENT ON COLUMN alerts.document_id IS 'Document.';
COMMENT ON COLUMN alerts.content_hash IS 'Its text.';
COMMENT ON COLUMN alerts.source_uri IS 'Of that version.';
COMMENT ON COLUMN alerts.contributor IS 'Of that version.';
COMMENT ON COLUMN alerts.opened_at IS 'UTC.';
COMMENT ON COLUMN alerts.threshold IS 'Threshold of the rule that opened it.';

CREATE TABLE alert_events (
    seq           BIGINT NOT NULL,
    alert_id      VARCHAR NOT NULL,
    acted_at      TIMESTAMP NOT NULL,
    actor         VARCHAR NOT NULL,
    kind          VARCHAR NOT NULL,
    status        VARCHAR,
    holder        VARCHAR,
    expires_at    TIMESTAMP,
    verdict       VARCHAR,
    reason        VARCHAR,
    note          VARCHAR,
    score         DOUBLE,
    scan_id       VARCHAR,
    event_id      VARCHAR,
    rule          VARCHAR,
    campaign      VARCHAR,
    campaign_size INTEGER,
    retrieved     BIGINT,
    in_context    BIGINT,
    payload       VARCHAR NOT NULL
);
COMMENT ON TABLE alert_events IS 'Append-only history of alerts: opened, evidence, reach, and every change of state. A row that changes the state repeats the whole state.';
COMMENT ON COLUMN alert_events.seq IS 'Unique, rises with time, with gaps.';
COMMENT ON COLUMN alert_events.alert_id IS 'Alert.';
COMMENT ON COLUMN alert_events.acted_at IS 'UTC.';
COMMENT ON COLUMN alert_events.actor IS 'Who.';
COMMENT ON COLUMN alert_events.kind IS 'opened, evidence, reach, or the name of a workflow step.';
COMMENT ON COLUMN alert_events.status IS 'State after this row; null where it changes none: open, claimed, decided, waiting, in_force, closed.';
COMMENT ON COLUMN alert_events.holder IS 'Who has claimed it.';
COMMENT ON COLUMN alert_events.expires_at IS 'When the claim or hold ends, UTC.';
COMMENT ON COLUMN alert_events.verdict IS 'quarantine, keep, needs_verification or escalate.';
COMMENT ON COLUMN alert_events.reason IS 'Reason code.';
COMMENT ON COLUMN alert_events.note IS 'The reviewer''s words.';
COMMENT ON COLUMN alert_events.score IS 'Score of the evidence of this row.';
COMMENT ON COLUMN alert_events.scan_id IS 'Evidence from a scan.';
COMMENT ON COLUMN alert_events.event_id IS 'Evidence from an event.';
COMMENT ON COLUMN alert_events.rule IS 'Preset that gave the score.';
COMMENT ON COLUMN alert_events.campaign IS 'Connected group it was found in.';
COMMENT ON COLUMN alert_events.campaign_size IS 'Its members.';
COMMENT ON COLUMN alert_events.retrieved IS 'Events added in which it was retrieved.';
COMMENT ON COLUMN alert_events.in_context IS 'Events added in which the context held it.';
COMMENT ON COLUMN alert_events.payload IS 'What the actor saw, JSON object.';

CREATE TABLE labels (
    label_id             VARCHAR NOT NULL,
    corpus_id            VARCHAR NOT NULL,
    document_id          VARCHAR NOT NULL,
    query_id             VARCHAR NOT NULL,
    condition            VARCHAR NOT NULL,
    poison               BOOLEAN NOT NULL,
    attack               VARCHAR NOT NULL,
    provenance           VARCHAR NOT NULL,
    source               VARCHAR NOT NULL,
    sampling_probability DOUBLE,
    acted_at             TIMESTAMP NOT NULL,
    actor                VARCHAR NOT NULL
);
COMMENT ON TABLE labels IS 'Append-only truth for evaluation, apart from any score.';
COMMENT ON COLUMN labels.label_id IS 'Derived from its content.';
COMMENT ON COLUMN labels.corpus_id IS 'Corpus.';
COMMENT ON COLUMN labels.document_id IS 'Document.';
COMMENT ON COLUMN labels.query_id IS 'Query it was planted for, may be empty.';
COMMENT ON COLUMN labels.condition IS 'Condition of the event it holds for, may be empty.';
COMMENT ON COLUMN labels.poison IS 'True where the document is planted.';
COMMENT ON COLUMN labels.attack IS 'Name of the attack, may be empty.';
COMMENT ON COLUMN labels.provenance IS 'fixture or reviewer.';
COMMENT ON COLUMN labels.source IS 'File or decision it comes from.';
COMMENT ON COLUMN labels.sampling_probability IS 'Probability with which the item was drawn for labelling; null for fixtures.';
COMMENT ON COLUMN labels.acted_at IS 'UTC.';
COMMENT ON COLUMN labels.actor IS 'Who.';

CREATE TABLE audit_log (
    sequence      BIGINT NOT NULL,
    acted_at      TIMESTAMP NOT NULL,
    actor         VARCHAR NOT NULL,
    action        VARCHAR NOT NULL,
    object        VARCHAR NOT NULL,
    payload       VARCHAR NOT NULL,
    previous_hash VARCHAR NOT NULL,
    hash          VARCHAR NOT NULL
);
COMMENT ON TABLE audit_log IS 'Append-only SHA-256 chain: one row per change of state, written in its transaction. Payloads hold ids, counts and salted commitments, never text.';
COMMENT ON COLUMN audit_log.sequence IS '1, 2, … without a gap.';
COMMENT ON COLUMN audit_log.acted_at IS 'UTC.';
COMMENT ON COLUMN audit_log.actor IS 'Identity of the principal.';
COMMENT ON COLUMN audit_log.action IS 'What was done.';
COMMENT ON COLUMN audit_log.object IS 'Id of what it was done to.';
COMMENT ON COLUMN audit_log.payload IS 'JSON object with sorted keys.';
COMMENT ON COLUMN audit_log.previous_hash IS 'hash of the row before; 64 zeros for the first.';
COMMENT ON COLUMN audit_log.hash IS 'SHA-256 (hex) over the canonical JSON of all other columns.';

CREATE TABLE audit_salts (
    sequence BIGINT NOT NULL,
    name     VARCHAR NOT NULL,
    salt     VARCHAR NOT NULL
);
COMMENT ON TABLE audit_salts IS 'Salts of commitments. Erasing one leaves the chain whole and the commitment meaningless.';
COMMENT ON COLUMN audit_salts.sequence IS 'Row of audit_log.';
COMMENT ON COLUMN audit_salts.name IS 'Which commitment of its payload.';
COMMENT ON COLUMN audit_salts.salt IS 'Hex.';

CREATE VIEW corpus_current AS
SELECT corpora.*, policy.admission
FROM corpora
JOIN corpus_policies AS policy USING (corpus_id)
WHERE policy.seq = (SELECT max(later.seq) FROM corpus_policies AS later WHERE later.corpus_id = corpora.corpus_id);
COMMENT ON VIEW corpus_current IS 'One row per corpus with the policy in force.';
COMMENT ON COLUMN corpus_current.admission IS 'Policy in force.';

CREATE VIEW documents AS
SELECT versions.*,
       EXISTS (SELECT 1 FROM document_tombstones AS ended WHERE ended.version_id = versions.version_id) AS tombstoned
FROM document_versions AS versions
WHERE versions.origin = 'ingest'
  AND versions.version_id IN (
      SELECT max(version_id) FROM document_versions WHERE origin = 'ingest' GROUP BY corpus_id, document_id
  );
COMMENT ON VIEW documents IS 'Current state: the latest ingested version of each document, and whether it is gone.';
COMMENT ON COLUMN documents.tombstoned IS 'True where the document is gone.';

CREATE VIEW snapshot_documents AS
SELECT snapshot_id, unnest(range(first_version, last_version + 1)) AS version_id
FROM snapshot_members;
COMMENT ON VIEW snapshot_documents IS 'One row per member of a snapshot.';
COMMENT ON COLUMN snapshot_documents.version_id IS 'Member.';

CREATE VIEW alert_current AS
SELECT alerts.*,
       state.status, state.holder, state.expires_at, state.verdict, state.reason, state.actor AS state_actor, state.acted_at AS state_at,
       history.version, history.score, history.evidence, history.retrieved, history.in_context,
       history.last_evidence_at, history.campaign, coalesce(history.campaign_size, 1) AS campaign_size,
       50 * least(1.0, history.score / (2 * alerts.threshold))
         + 30 * least(1.0, log10(1 + history.in_context) / 2)
         + 20 * least(1.0, (coalesce(history.campaign_size, 1) - 1) / 4) AS severity
FROM alerts
JOIN (
    SELECT alert_id,
           count(status) AS version,
           max(seq) FILTER (WHERE status IS NOT NULL) AS state_seq,
           max(score) AS score,
           count(score) AS evidence,
           coalesce(sum(retrieved), 0)::BIGINT AS retrieved,
           coalesce(sum(in_context), 0)::BIGINT AS in_context,
           max(acted_at) FILTER (WHERE score IS NOT NULL) AS last_evidence_at,
           arg_max(campaign, seq) AS campaign,
           arg_max(campaign_size, seq) AS campaign_size
    FROM alert_events
    GROUP BY alert_id
) AS history USING (alert_id)
JOIN alert_events AS state ON state.seq = history.state_seq;
COMMENT ON VIEW alert_current IS 'Current state of every alert, folded from its history.';
COMMENT ON COLUMN alert_current.status IS 'State now.';
COMMENT ON COLUMN alert_current.version IS 'How often the state was set; a decision names the version it saw.';
COMMENT ON COLUMN alert_current.score IS 'Highest score of any evidence.';
COMMENT ON COLUMN alert_current.evidence IS 'Scans and events that flagged it.';
COMMENT ON COLUMN alert_current.retrieved IS 'Events in which it was retrieved.';
COMMENT ON COLUMN alert_current.in_context IS 'Events whose final context held it.';
COMMENT ON COLUMN alert_current.campaign IS 'Connected group of the last evidence that named one.';
COMMENT ON COLUMN alert_current.campaign_size IS 'Members of that group, 1 where it is alone.';
COMMENT ON COLUMN alert_current.severity IS '0 to 100, orders the queue and nothing else: 50 for the score (full at twice the threshold), 30 for reach (full at 99 contexts), 20 for the campaign (full at five members).';

