-- Policy versions: thresholds per slice, immutable, each with its parent; and relevance judgements. TIMESTAMP is UTC.

CREATE TABLE policy_versions (
    policy_id   VARCHAR PRIMARY KEY,
    sequence    INTEGER NOT NULL UNIQUE,
    parent_id   VARCHAR,
    restores_id VARCHAR,
    rules       VARCHAR NOT NULL,
    rules_hash  VARCHAR NOT NULL,
    loosens     BOOLEAN NOT NULL,
    author      VARCHAR NOT NULL,
    created_at  TIMESTAMP NOT NULL,
    note        VARCHAR NOT NULL
);
COMMENT ON TABLE policy_versions IS 'Immutable sets of thresholds per slice. What becomes of a version is in policy_events.';
COMMENT ON COLUMN policy_versions.policy_id IS 'policy_ + time + random.';
COMMENT ON COLUMN policy_versions.sequence IS '1, 2, … in the order in which they were saved.';
COMMENT ON COLUMN policy_versions.parent_id IS 'Version in force when it was saved; null for the first.';
COMMENT ON COLUMN policy_versions.restores_id IS 'Version whose rules it repeats, for a roll-back.';
COMMENT ON COLUMN policy_versions.rules IS 'JSON list of {detector, rule, corpus, encoder, moves}; empty corpus or encoder means all.';
COMMENT ON COLUMN policy_versions.rules_hash IS 'SHA-256 (hex) over the canonical JSON of rules.';
COMMENT ON COLUMN policy_versions.loosens IS 'True where it may flag fewer documents than its parent, or that cannot be told.';
COMMENT ON COLUMN policy_versions.author IS 'Who saved it.';
COMMENT ON COLUMN policy_versions.created_at IS 'UTC.';
COMMENT ON COLUMN policy_versions.note IS 'Why.';

CREATE TABLE policy_events (
    seq         BIGINT PRIMARY KEY,
    policy_id   VARCHAR NOT NULL,
    acted_at    TIMESTAMP NOT NULL,
    actor       VARCHAR NOT NULL,
    kind        VARCHAR NOT NULL,
    approved_by VARCHAR,
    note        VARCHAR NOT NULL
);
COMMENT ON TABLE policy_events IS 'Append-only: what became of each policy version.';
COMMENT ON COLUMN policy_events.seq IS 'Rises by one over the whole table.';
COMMENT ON COLUMN policy_events.policy_id IS 'Version.';
COMMENT ON COLUMN policy_events.acted_at IS 'UTC.';
COMMENT ON COLUMN policy_events.actor IS 'Who.';
COMMENT ON COLUMN policy_events.kind IS 'saved, published (in force from here on) or rejected.';
COMMENT ON COLUMN policy_events.approved_by IS 'Who approved it, single_user_mode, or not_required where it tightens.';
COMMENT ON COLUMN policy_events.note IS 'Why.';

CREATE VIEW policy_current AS
SELECT versions.*, published.acted_at AS published_at, published.approved_by
FROM policy_versions AS versions
JOIN policy_events AS published USING (policy_id)
WHERE published.seq = (SELECT max(seq) FROM policy_events WHERE kind = 'published');
COMMENT ON VIEW policy_current IS 'The policy version in force: the last one published. No row before the first.';
COMMENT ON COLUMN policy_current.published_at IS 'When it came into force, UTC.';
COMMENT ON COLUMN policy_current.approved_by IS 'Who approved it.';

CREATE TABLE qrels (
    corpus_id   VARCHAR NOT NULL,
    query_id    VARCHAR NOT NULL,
    document_id VARCHAR NOT NULL,
    relevance   INTEGER NOT NULL,
    source      VARCHAR NOT NULL,
    acted_at    TIMESTAMP NOT NULL,
    actor       VARCHAR NOT NULL
);
COMMENT ON TABLE qrels IS 'Append-only relevance judgements; the latest of a query and document counts. For recall, never for scoring.';
COMMENT ON COLUMN qrels.corpus_id IS 'Corpus.';
COMMENT ON COLUMN qrels.query_id IS 'Query.';
COMMENT ON COLUMN qrels.document_id IS 'Document.';
COMMENT ON COLUMN qrels.relevance IS '0 not relevant, 1 or more relevant.';
COMMENT ON COLUMN qrels.source IS 'File it comes from.';
COMMENT ON COLUMN qrels.acted_at IS 'UTC.';
COMMENT ON COLUMN qrels.actor IS 'Who.';
