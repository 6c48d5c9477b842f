-- Work of several processes and people: the inbox, tokens, holds, quarantine versions, publications, admission,
-- source trust, risk tiers and erasure. TIMESTAMP is UTC.

DROP VIEW alert_current;

CREATE TABLE inbox_segments (
    segment_id VARCHAR PRIMARY KEY,
    kind       VARCHAR NOT NULL,
    route      VARCHAR NOT NULL,
    actor      VARCHAR NOT NULL,
    bytes      BIGINT NOT NULL,
    state      VARCHAR NOT NULL,
    receipt    VARCHAR NOT NULL,
    taken_at   TIMESTAMP NOT NULL
);
COMMENT ON TABLE inbox_segments IS 'One row per segment that was taken in or refused, written in the transaction of what it brought.';
COMMENT ON COLUMN inbox_segments.segment_id IS 'SHA-256 (hex) of the segment''s bytes.';
COMMENT ON COLUMN inbox_segments.kind IS 'documents, embeddings, scan, events or request; as claimed where refused.';
COMMENT ON COLUMN inbox_segments.route IS 'inbox or http.';
COMMENT ON COLUMN inbox_segments.actor IS 'Who it was taken in for.';
COMMENT ON COLUMN inbox_segments.bytes IS 'Size.';
COMMENT ON COLUMN inbox_segments.state IS 'taken or refused.';
COMMENT ON COLUMN inbox_segments.receipt IS 'What its sender is told, JSON object.';
COMMENT ON COLUMN inbox_segments.taken_at IS 'UTC.';

CREATE TABLE tokens (
    token_id    VARCHAR PRIMARY KEY,
    name        VARCHAR NOT NULL,
    secret_hash VARCHAR NOT NULL,
    scope       VARCHAR NOT NULL,
    tenant      VARCHAR,
    created_at  TIMESTAMP NOT NULL,
    created_by  VARCHAR NOT NULL,
    expires_at  TIMESTAMP
);
COMMENT ON TABLE tokens IS 'Access tokens for programs. The secret itself is never stored.';
COMMENT ON COLUMN tokens.token_id IS 'Public part of the token.';
COMMENT ON COLUMN tokens.name IS 'What it is for.';
COMMENT ON COLUMN tokens.secret_hash IS 'SHA-256 (hex) of the secret part, which has 256 random bits.';
COMMENT ON COLUMN tokens.scope IS 'ingest, gate or read; none can decide.';
COMMENT ON COLUMN tokens.tenant IS 'The one tenant it may touch; null for all.';
COMMENT ON COLUMN tokens.created_at IS 'UTC.';
COMMENT ON COLUMN tokens.created_by IS 'Who issued it.';
COMMENT ON COLUMN tokens.expires_at IS 'UTC; null for never.';

CREATE TABLE token_revocations (
    token_id VARCHAR NOT NULL,
    acted_at TIMESTAMP NOT NULL,
    actor    VARCHAR NOT NULL
);
COMMENT ON TABLE token_revocations IS 'Append-only: tokens that are no longer accepted.';
COMMENT ON COLUMN token_revocations.token_id IS 'Token.';
COMMENT ON COLUMN token_revocations.acted_at IS 'UTC.';
COMMENT ON COLUMN token_revocations.actor IS 'Who.';

CREATE TABLE holds (
    hold_id     VARCHAR NOT NULL,
    corpus_id   VARCHAR NOT NULL,
    document_id VARCHAR NOT NULL,
    tenant      VARCHAR NOT NULL,
    alert_id    VARCHAR,
    reason      VARCHAR NOT NULL,
    started_at  TIMESTAMP NOT NULL,
    expires_at  TIMESTAMP NOT NULL,
    actor       VARCHAR NOT NULL
);
COMMENT ON TABLE holds IS 'Reversible, expiring isolations of a document while it is undecided.';
COMMENT ON COLUMN holds.hold_id IS 'hold_ + time + random.';
COMMENT ON COLUMN holds.corpus_id IS 'Corpus.';
COMMENT ON COLUMN holds.document_id IS 'Document, in whatever version.';
COMMENT ON COLUMN holds.tenant IS 'Tenant of the document.';
COMMENT ON COLUMN holds.alert_id IS 'Alert it was set for.';
COMMENT ON COLUMN holds.reason IS 'Why.';
COMMENT ON COLUMN holds.started_at IS 'UTC.';
COMMENT ON COLUMN holds.expires_at IS 'UTC; it ends by itself then.';
COMMENT ON COLUMN holds.actor IS 'Who set it, or the policy''s name.';

CREATE TABLE hold_ends (
    hold_id  VARCHAR NOT NULL,
    acted_at TIMESTAMP NOT NULL,
    actor    VARCHAR NOT NULL,
    cause    VARCHAR NOT NULL
);
COMMENT ON TABLE hold_ends IS 'Append-only: holds that were ended before they expired.';
COMMENT ON COLUMN hold_ends.hold_id IS 'Hold.';
COMMENT ON COLUMN hold_ends.acted_at IS 'UTC.';
COMMENT ON COLUMN hold_ends.actor IS 'Who.';
COMMENT ON COLUMN hold_ends.cause IS 'ended, or decided: any decision on the alert ends its holds.';

CREATE TABLE quarantine_versions (
    quarantine_id VARCHAR NOT NULL,
    sequence      INTEGER NOT NULL,
    parent_id     VARCHAR,
    restores_id   VARCHAR,
    members       BIGINT NOT NULL,
    members_hash  VARCHAR NOT NULL,
    author        VARCHAR NOT NULL,
    created_at    TIMESTAMP NOT NULL,
    note          VARCHAR NOT NULL
);
COMMENT ON TABLE quarantine_versions IS 'Immutable sets of quarantined documents. What happened to each is in quarantine_events.';
COMMENT ON COLUMN quarantine_versions.quarantine_id IS 'quar_ + time + random.';
COMMENT ON COLUMN quarantine_versions.sequence IS '1, 2, … in the order of proposal.';
COMMENT ON COLUMN quarantine_versions.parent_id IS 'Version in force when it was proposed; null before the first.';
COMMENT ON COLUMN quarantine_versions.restores_id IS 'Version whose members a roll-back takes over; null for a proposal.';
COMMENT ON COLUMN quarantine_versions.members IS 'Documents in it.';
COMMENT ON COLUMN quarantine_versions.members_hash IS 'SHA-256 (hex) over its sorted members.';
COMMENT ON COLUMN quarantine_versions.author IS 'Who proposed it.';
COMMENT ON COLUMN quarantine_versions.created_at IS 'UTC.';
COMMENT ON COLUMN quarantine_versions.note IS 'Why.';

CREATE TABLE quarantine_members (
    quarantine_id VARCHAR NOT NULL,
    corpus_id     VARCHAR NOT NULL,
    document_id   VARCHAR NOT NULL,
    tenant        VARCHAR NOT NULL,
    content_hash  VARCHAR NOT NULL,
    alert_id      VARCHAR
);
COMMENT ON TABLE quarantine_members IS 'Members of quarantine versions: a document, whatever its version, because one changed letter must not free it.';
COMMENT ON COLUMN quarantine_members.quarantine_id IS 'Version of the quarantine.';
COMMENT ON COLUMN quarantine_members.corpus_id IS 'Corpus.';
COMMENT ON COLUMN quarantine_members.document_id IS 'Document.';
COMMENT ON COLUMN quarantine_members.tenant IS 'Tenant of the document.';
COMMENT ON COLUMN quarantine_members.content_hash IS 'Its text when it was added.';
COMMENT ON COLUMN quarantine_members.alert_id IS 'Alert that led to it.';

CREATE TABLE quarantine_events (
    seq           BIGINT NOT NULL,
    quarantine_id VARCHAR NOT NULL,
    acted_at      TIMESTAMP NOT NULL,
    actor         VARCHAR NOT NULL,
    kind          VARCHAR NOT NULL,
    approved_by   VARCHAR,
    note          VARCHAR NOT NULL
);
COMMENT ON TABLE quarantine_events IS 'Append-only history of quarantine versions.';
COMMENT ON COLUMN quarantine_events.seq IS 'Rises by one over the whole table.';
COMMENT ON COLUMN quarantine_events.quarantine_id IS 'Version.';
COMMENT ON COLUMN quarantine_events.acted_at IS 'UTC.';
COMMENT ON COLUMN quarantine_events.actor IS 'Who.';
COMMENT ON COLUMN quarantine_events.kind IS 'proposed, published or rejected.';
COMMENT ON COLUMN quarantine_events.approved_by IS 'Who approved it; single_user_mode where no second person exists.';
COMMENT ON COLUMN quarantine_events.note IS 'Why.';

CREATE TABLE publications (
    number        BIGINT NOT NULL,
    quarantine_id VARCHAR,
    file          VARCHAR NOT NULL,
    sha256        VARCHAR NOT NULL,
    cause         VARCHAR NOT NULL,
    acted_at      TIMESTAMP NOT NULL,
    actor         VARCHAR NOT NULL
);
COMMENT ON TABLE publications IS 'What was made known to other processes, by a number that only rises.';
COMMENT ON COLUMN publications.number IS '1, 2, …; readers refuse a lower one than they have seen.';
COMMENT ON COLUMN publications.quarantine_id IS 'Version in force.';
COMMENT ON COLUMN publications.file IS 'File under published/.';
COMMENT ON COLUMN publications.sha256 IS 'SHA-256 (hex) of the file.';
COMMENT ON COLUMN publications.cause IS 'What led to it.';
COMMENT ON COLUMN publications.acted_at IS 'UTC.';
COMMENT ON COLUMN publications.actor IS 'Who.';

CREATE TABLE document_admissions (
    corpus_id    VARCHAR NOT NULL,
    document_id  VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    acted_at     TIMESTAMP NOT NULL,
    actor        VARCHAR NOT NULL,
    note         VARCHAR NOT NULL
);
COMMENT ON TABLE document_admissions IS 'Append-only: texts that a reviewer let into retrieval where the policy is after_review.';
COMMENT ON COLUMN document_admissions.corpus_id IS 'Corpus.';
COMMENT ON COLUMN document_admissions.document_id IS 'Document.';
COMMENT ON COLUMN document_admissions.content_hash IS 'The text that was admitted.';
COMMENT ON COLUMN document_admissions.acted_at IS 'UTC.';
COMMENT ON COLUMN document_admissions.actor IS 'Who.';
COMMENT ON COLUMN document_admissions.note IS 'Why.';

CREATE TABLE source_trust (
    seq       BIGINT NOT NULL,
    corpus_id VARCHAR NOT NULL,
    kind      VARCHAR NOT NULL,
    name      VARCHAR NOT NULL,
    trust     VARCHAR NOT NULL,
    note      VARCHAR NOT NULL,
    acted_at  TIMESTAMP NOT NULL,
    actor     VARCHAR NOT NULL
);
COMMENT ON TABLE source_trust IS 'Append-only: how far a source or contributor is trusted; the row with the highest seq is in force.';
COMMENT ON COLUMN source_trust.seq IS 'Rises by one over the whole table.';
COMMENT ON COLUMN source_trust.corpus_id IS 'Corpus.';
COMMENT ON COLUMN source_trust.kind IS 'source (prefix of the source URI) or contributor.';
COMMENT ON COLUMN source_trust.name IS 'The source or contributor.';
COMMENT ON COLUMN source_trust.trust IS 'trusted, neutral or untrusted.';
COMMENT ON COLUMN source_trust.note IS 'Why.';
COMMENT ON COLUMN source_trust.acted_at IS 'UTC.';
COMMENT ON COLUMN source_trust.actor IS 'Who set it.';

CREATE TABLE risk_tiers (
    seq         BIGINT NOT NULL,
    corpus_id   VARCHAR NOT NULL,
    document_id VARCHAR NOT NULL,
    tier        INTEGER NOT NULL,
    note        VARCHAR NOT NULL,
    acted_at    TIMESTAMP NOT NULL,
    actor       VARCHAR NOT NULL
);
COMMENT ON TABLE risk_tiers IS 'Append-only: how much harm a wrong text would do; the row with the highest seq is in force.';
COMMENT ON COLUMN risk_tiers.seq IS 'Rises by one over the whole table.';
COMMENT ON COLUMN risk_tiers.corpus_id IS 'Corpus.';
COMMENT ON COLUMN risk_tiers.document_id IS 'Document; empty for the whole corpus.';
COMMENT ON COLUMN risk_tiers.tier IS '1 low, 2 medium, 3 high.';
COMMENT ON COLUMN risk_tiers.note IS 'Why.';
COMMENT ON COLUMN risk_tiers.acted_at IS 'UTC.';
COMMENT ON COLUMN risk_tiers.actor IS 'Who set it.';

CREATE TABLE erasures (
    erasure_id  VARCHAR NOT NULL,
    corpus_id   VARCHAR NOT NULL,
    document_id VARCHAR NOT NULL,
    versions    BIGINT NOT NULL,
    reason      VARCHAR NOT NULL,
    acted_at    TIMESTAMP NOT NULL,
    actor       VARCHAR NOT NULL
);
COMMENT ON TABLE erasures IS 'Append-only: documents whose text, provenance and vectors were erased on request.';
COMMENT ON COLUMN erasures.erasure_id IS 'erasure_ + time + random.';
COMMENT ON COLUMN erasures.corpus_id IS 'Corpus.';
COMMENT ON COLUMN erasures.document_id IS 'Document.';
COMMENT ON COLUMN erasures.versions IS 'Versions that were blanked.';
COMMENT ON COLUMN erasures.reason IS 'Reason code or ticket; no personal data.';
COMMENT ON COLUMN erasures.acted_at IS 'UTC.';
COMMENT ON COLUMN erasures.actor IS 'Who.';

CREATE TABLE alert_current (
    alert_id         VARCHAR,
    detector         VARCHAR,
    corpus_id        VARCHAR,
    tenant           VARCHAR,
    version_id       BIGINT,
    document_id      VARCHAR,
    content_hash     VARCHAR,
    source_uri       VARCHAR,
    contributor      VARCHAR,
    opened_at        TIMESTAMP,
    threshold        DOUBLE,
    status           VARCHAR,
    holder           VARCHAR,
    expires_at       TIMESTAMP,
    verdict          VARCHAR,
    reason           VARCHAR,
    state_actor      VARCHAR,
    state_at         TIMESTAMP,
    version          BIGINT,
    score            DOUBLE,
    evidence         BIGINT,
    retrieved        BIGINT,
    in_context       BIGINT,
    last_evidence_at TIMESTAMP,
    campaign         VARCHAR,
    campaign_size    INTEGER,
    severity         DOUBLE
);
COMMENT ON TABLE alert_current IS 'Current state of every alert: alert_folded kept as rows, refreshed in the transaction of every change, so that a queue of 100,000 sorts within its budget.';
COMMENT ON COLUMN alert_current.alert_id IS 'Alert.';
COMMENT ON COLUMN alert_current.detector IS 'rsg or rsq.';
COMMENT ON COLUMN alert_current.corpus_id IS 'Corpus.';
COMMENT ON COLUMN alert_current.tenant IS 'Tenant of the document.';
COMMENT ON COLUMN alert_current.version_id IS 'Version it was first flagged in.';
COMMENT ON COLUMN alert_current.document_id IS 'Document.';
COMMENT ON COLUMN alert_current.content_hash IS 'Its text.';
COMMENT ON COLUMN alert_current.source_uri IS 'Of that version.';
COMMENT ON COLUMN alert_current.contributor IS 'Of that version.';
COMMENT ON COLUMN alert_current.opened_at IS 'UTC.';
COMMENT ON COLUMN alert_current.threshold IS 'Threshold of the rule that opened it.';
COMMENT ON COLUMN alert_current.status IS 'State now.';
COMMENT ON COLUMN alert_current.holder IS 'Who has claimed it.';
COMMENT ON COLUMN alert_current.expires_at IS 'When the claim ends, UTC.';
COMMENT ON COLUMN alert_current.verdict IS 'Verdict now.';
COMMENT ON COLUMN alert_current.reason IS 'Its reason code.';
COMMENT ON COLUMN alert_current.state_actor IS 'Who set the state.';
COMMENT ON COLUMN alert_current.state_at IS 'When, UTC.';
COMMENT ON COLUMN alert_current.version IS 'How often the state was set; a decision names the version it saw.';
COMMENT ON COLUMN alert_current.score IS 'Highest score of any evidence.';
COMMENT ON COLUMN alert_current.evidence IS 'Scans and events that flagged it.';
COMMENT ON COLUMN alert_current.retrieved IS 'Events in which it was retrieved.';
COMMENT ON COLUMN alert_current.in_context IS 'Events whose final context held it.';
COMMENT ON COLUMN alert_current.last_evidence_at IS 'UTC.';
COMMENT ON COLUMN alert_current.campaign IS 'Connected group of the last evidence that named one.';
COMMENT ON COLUMN alert_current.campaign_size IS 'Members of that group, 1 where it is alone.';
COMMENT ON COLUMN alert_current.severity IS '0 to 100; see alert_folded.';

CREATE VIEW quarantine_current AS
SELECT versions.*, published.acted_at AS published_at, published.approved_by
FROM quarantine_versions AS versions
JOIN quarantine_events AS published USING (quarantine_id)
WHERE published.seq = (SELECT max(seq) FROM quarantine_events WHERE kind = 'published');
COMMENT ON VIEW quarantine_current IS 'The version in force: the last one published. No row before the first.';
COMMENT ON COLUMN quarantine_current.published_at IS 'When it came into force, UTC.';
COMMENT ON COLUMN quarantine_current.approved_by IS 'Who approved it.';

CREATE VIEW source_trust_current AS
SELECT * EXCLUDE (place)
FROM (SELECT *, row_number() OVER (PARTITION BY corpus_id, kind, name ORDER BY seq DESC) AS place FROM source_trust)
WHERE place = 1;
COMMENT ON VIEW source_trust_current IS 'Trust in force per corpus, kind and name.';
COMMENT ON COLUMN source_trust_current.trust IS 'Trust in force.';

CREATE VIEW risk_tier_current AS
SELECT * EXCLUDE (place)
FROM (SELECT *, row_number() OVER (PARTITION BY corpus_id, document_id ORDER BY seq DESC) AS place FROM risk_tiers)
WHERE place = 1;
COMMENT ON VIEW risk_tier_current IS 'Risk tier in force per corpus and document (empty: the whole corpus).';
COMMENT ON COLUMN risk_tier_current.tier IS 'Tier in force.';

CREATE VIEW alert_folded AS
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
COMMENT ON VIEW alert_folded IS 'Current state of every alert, folded from its whole history: what alert_current must equal.';
COMMENT ON COLUMN alert_folded.status IS 'State now.';
COMMENT ON COLUMN alert_folded.version IS 'How often the state was set; a decision names the version it saw.';
COMMENT ON COLUMN alert_folded.score IS 'Highest score of any evidence.';
COMMENT ON COLUMN alert_folded.evidence IS 'Scans and events that flagged it.';
COMMENT ON COLUMN alert_folded.retrieved IS 'Events in which it was retrieved.';
COMMENT ON COLUMN alert_folded.in_context IS 'Events whose final context held it.';
COMMENT ON COLUMN alert_folded.campaign IS 'Connected group of the last evidence that named one.';
COMMENT ON COLUMN alert_folded.campaign_size IS 'Members of that group, 1 where it is alone.';
COMMENT ON COLUMN alert_folded.severity IS '0 to 100, orders the queue and nothing else: 50 for the score (full at twice the threshold), 30 for reach (full at 99 contexts), 20 for the campaign (full at five members).';

INSERT INTO alert_current BY NAME SELECT * FROM alert_folded;
