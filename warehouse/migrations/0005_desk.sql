-- The review desk: policy and roles, what each quarantine version changes and who proposed it, the allow-list, bulk jobs,
-- canary replays, truth and remediation tracks, blind review and deliveries to an index. TIMESTAMP is UTC.

CREATE TABLE review_policies (
    seq         BIGINT NOT NULL,
    policy      VARCHAR NOT NULL,
    policy_key  VARCHAR NOT NULL,
    approved_by VARCHAR NOT NULL,
    note        VARCHAR NOT NULL,
    acted_at    TIMESTAMP NOT NULL,
    actor       VARCHAR NOT NULL
);
COMMENT ON TABLE review_policies IS 'Append-only: the limits of the review desk over time; the row with the highest seq is in force, the defaults before the first.';
COMMENT ON COLUMN review_policies.seq IS 'Rises by one.';
COMMENT ON COLUMN review_policies.policy IS 'Every field, JSON object.';
COMMENT ON COLUMN review_policies.policy_key IS 'Key over every field.';
COMMENT ON COLUMN review_policies.approved_by IS 'Second person, not_needed where nothing was loosened, or single_user_mode.';
COMMENT ON COLUMN review_policies.note IS 'Why.';
COMMENT ON COLUMN review_policies.acted_at IS 'UTC.';
COMMENT ON COLUMN review_policies.actor IS 'Who proposed it.';

CREATE TABLE user_roles (
    seq         BIGINT NOT NULL,
    identity    VARCHAR NOT NULL,
    role        VARCHAR NOT NULL,
    tenants     VARCHAR[],
    approved_by VARCHAR NOT NULL,
    note        VARCHAR NOT NULL,
    acted_at    TIMESTAMP NOT NULL,
    actor       VARCHAR NOT NULL
);
COMMENT ON TABLE user_roles IS 'Append-only: what a signed-in identity may do; its row with the highest seq is in force.';
COMMENT ON COLUMN user_roles.seq IS 'Rises by one.';
COMMENT ON COLUMN user_roles.identity IS 'As the identity provider or proxy names it.';
COMMENT ON COLUMN user_roles.role IS 'viewer, reviewer, approver, admin, or none where it was taken away.';
COMMENT ON COLUMN user_roles.tenants IS 'Tenants whose rows exist for it; null means all.';
COMMENT ON COLUMN user_roles.approved_by IS 'Second admin, or single_user_mode.';
COMMENT ON COLUMN user_roles.note IS 'Why.';
COMMENT ON COLUMN user_roles.acted_at IS 'UTC.';
COMMENT ON COLUMN user_roles.actor IS 'Who proposed it.';

CREATE TABLE change_requests (
    request_id VARCHAR NOT NULL,
    kind       VARCHAR NOT NULL,
    payload    VARCHAR NOT NULL,
    note       VARCHAR NOT NULL,
    acted_at   TIMESTAMP NOT NULL,
    actor      VARCHAR NOT NULL
);
COMMENT ON TABLE change_requests IS 'Append-only: changes of policy and roles that wait for, or had, a second person.';
COMMENT ON COLUMN change_requests.request_id IS 'req_ + time + random.';
COMMENT ON COLUMN change_requests.kind IS 'policy or role.';
COMMENT ON COLUMN change_requests.payload IS 'The change, JSON object.';
COMMENT ON COLUMN change_requests.note IS 'Why.';
COMMENT ON COLUMN change_requests.acted_at IS 'UTC.';
COMMENT ON COLUMN change_requests.actor IS 'Who proposed it.';

CREATE TABLE change_request_ends (
    request_id VARCHAR NOT NULL,
    outcome    VARCHAR NOT NULL,
    note       VARCHAR NOT NULL,
    acted_at   TIMESTAMP NOT NULL,
    actor      VARCHAR NOT NULL
);
COMMENT ON TABLE change_request_ends IS 'Append-only: how such a request ended; at most one row each.';
COMMENT ON COLUMN change_request_ends.request_id IS 'Request.';
COMMENT ON COLUMN change_request_ends.outcome IS 'approved or rejected.';
COMMENT ON COLUMN change_request_ends.note IS 'Why.';
COMMENT ON COLUMN change_request_ends.acted_at IS 'UTC.';
COMMENT ON COLUMN change_request_ends.actor IS 'Who.';

CREATE TABLE quarantine_changes (
    quarantine_id VARCHAR NOT NULL,
    corpus_id     VARCHAR NOT NULL,
    document_id   VARCHAR NOT NULL,
    tenant        VARCHAR NOT NULL,
    alert_id      VARCHAR,
    change        VARCHAR NOT NULL,
    cause         VARCHAR NOT NULL,
    proposer      VARCHAR NOT NULL,
    reason        VARCHAR NOT NULL,
    note          VARCHAR NOT NULL,
    release_until TIMESTAMP
);
COMMENT ON TABLE quarantine_changes IS 'Append-only: what a quarantine version changes of its parent, and who proposed each change.';
COMMENT ON COLUMN quarantine_changes.quarantine_id IS 'Version.';
COMMENT ON COLUMN quarantine_changes.corpus_id IS 'Corpus.';
COMMENT ON COLUMN quarantine_changes.document_id IS 'Document.';
COMMENT ON COLUMN quarantine_changes.tenant IS 'Tenant of the document.';
COMMENT ON COLUMN quarantine_changes.alert_id IS 'Alert it follows from.';
COMMENT ON COLUMN quarantine_changes.change IS 'added or removed.';
COMMENT ON COLUMN quarantine_changes.cause IS 'quarantine, release, undo, rollback or expiry.';
COMMENT ON COLUMN quarantine_changes.proposer IS 'Who proposed this change first: never its approver.';
COMMENT ON COLUMN quarantine_changes.reason IS 'Reason code of a release, else empty.';
COMMENT ON COLUMN quarantine_changes.note IS 'The proposer''s words.';
COMMENT ON COLUMN quarantine_changes.release_until IS 'End of the release on the allow-list, UTC; null for other causes.';

CREATE TABLE allow_list (
    entry_id      VARCHAR NOT NULL,
    alert_id      VARCHAR NOT NULL,
    corpus_id     VARCHAR NOT NULL,
    document_id   VARCHAR NOT NULL,
    content_hash  VARCHAR NOT NULL,
    detector      VARCHAR NOT NULL,
    rule_key      VARCHAR NOT NULL,
    score         DOUBLE,
    campaign_size INTEGER NOT NULL,
    cause         VARCHAR NOT NULL,
    reason        VARCHAR NOT NULL,
    note          VARCHAR NOT NULL,
    expires_at    TIMESTAMP NOT NULL,
    quarantine_id VARCHAR,
    acted_at      TIMESTAMP NOT NULL,
    actor         VARCHAR NOT NULL
);
COMMENT ON TABLE allow_list IS 'Append-only: texts that were looked at and kept or released, by rule. While their alert is kept or closed they alert again only when an entry ran out or the evidence changed.';
COMMENT ON COLUMN allow_list.entry_id IS 'allow_ + time + random.';
COMMENT ON COLUMN allow_list.alert_id IS 'Alert, hence detector and text.';
COMMENT ON COLUMN allow_list.corpus_id IS 'Corpus.';
COMMENT ON COLUMN allow_list.document_id IS 'Document.';
COMMENT ON COLUMN allow_list.content_hash IS 'Its text.';
COMMENT ON COLUMN allow_list.detector IS 'Detector.';
COMMENT ON COLUMN allow_list.rule_key IS 'Detector version: rule and key over its configuration.';
COMMENT ON COLUMN allow_list.score IS 'Highest score seen till then.';
COMMENT ON COLUMN allow_list.campaign_size IS 'Members of its campaign then.';
COMMENT ON COLUMN allow_list.cause IS 'kept or released.';
COMMENT ON COLUMN allow_list.reason IS 'Reason code.';
COMMENT ON COLUMN allow_list.note IS 'Why.';
COMMENT ON COLUMN allow_list.expires_at IS 'UTC.';
COMMENT ON COLUMN allow_list.quarantine_id IS 'Version that released it.';
COMMENT ON COLUMN allow_list.acted_at IS 'UTC.';
COMMENT ON COLUMN allow_list.actor IS 'Who.';

CREATE TABLE bulk_jobs (
    job_id     VARCHAR NOT NULL,
    act        VARCHAR NOT NULL,
    arguments  VARCHAR NOT NULL,
    source     VARCHAR NOT NULL,
    items      BIGINT NOT NULL,
    exceptions BIGINT NOT NULL,
    mode       VARCHAR NOT NULL,
    acted_at   TIMESTAMP NOT NULL,
    actor      VARCHAR NOT NULL
);
COMMENT ON TABLE bulk_jobs IS 'Append-only: one row per act on many alerts.';
COMMENT ON COLUMN bulk_jobs.job_id IS 'bulk_ + time + random.';
COMMENT ON COLUMN bulk_jobs.act IS 'decide, undo, redo or reopen.';
COMMENT ON COLUMN bulk_jobs.arguments IS 'Verdict, reason and note, JSON object.';
COMMENT ON COLUMN bulk_jobs.source IS 'Filter, selection or campaign it was made from, JSON object.';
COMMENT ON COLUMN bulk_jobs.items IS 'Alerts in it.';
COMMENT ON COLUMN bulk_jobs.exceptions IS 'Alerts left out by hand.';
COMMENT ON COLUMN bulk_jobs.mode IS 'How the identity was proved.';
COMMENT ON COLUMN bulk_jobs.acted_at IS 'UTC.';
COMMENT ON COLUMN bulk_jobs.actor IS 'Who started it; stays the proposer whoever resumes it.';

CREATE TABLE bulk_items (
    job_id           VARCHAR NOT NULL,
    position         BIGINT NOT NULL,
    alert_id         VARCHAR NOT NULL,
    expected_version BIGINT NOT NULL
);
COMMENT ON TABLE bulk_items IS 'Append-only: alerts of a bulk job as they were when it was started.';
COMMENT ON COLUMN bulk_items.job_id IS 'Job.';
COMMENT ON COLUMN bulk_items.position IS '1, 2, …';
COMMENT ON COLUMN bulk_items.alert_id IS 'Alert.';
COMMENT ON COLUMN bulk_items.expected_version IS 'Version that was seen.';

CREATE TABLE bulk_results (
    job_id   VARCHAR NOT NULL,
    position BIGINT NOT NULL,
    outcome  VARCHAR NOT NULL,
    reason   VARCHAR NOT NULL,
    acted_at TIMESTAMP NOT NULL,
    actor    VARCHAR NOT NULL
);
COMMENT ON TABLE bulk_results IS 'Append-only: what became of each item, written in the transaction of its act.';
COMMENT ON COLUMN bulk_results.job_id IS 'Job.';
COMMENT ON COLUMN bulk_results.position IS 'Item.';
COMMENT ON COLUMN bulk_results.outcome IS 'done or refused.';
COMMENT ON COLUMN bulk_results.reason IS 'Name of the refusal, else empty.';
COMMENT ON COLUMN bulk_results.acted_at IS 'UTC.';
COMMENT ON COLUMN bulk_results.actor IS 'Who ran it.';

CREATE TABLE canary_runs (
    run_id          VARCHAR NOT NULL,
    quarantine_id   VARCHAR NOT NULL,
    publication     BIGINT NOT NULL,
    queries         BIGINT NOT NULL,
    verified_absent BIGINT NOT NULL,
    still_present   BIGINT NOT NULL,
    restored        BIGINT NOT NULL,
    not_restored    BIGINT NOT NULL,
    unreplayed      BIGINT NOT NULL,
    acted_at        TIMESTAMP NOT NULL,
    actor           VARCHAR NOT NULL
);
COMMENT ON TABLE canary_runs IS 'Append-only: one replay of the stored queries that a quarantine version concerns.';
COMMENT ON COLUMN canary_runs.run_id IS 'canary_ + time + random.';
COMMENT ON COLUMN canary_runs.quarantine_id IS 'Version that was in force.';
COMMENT ON COLUMN canary_runs.publication IS 'Number of the publication that was read.';
COMMENT ON COLUMN canary_runs.queries IS 'Queries replayed.';
COMMENT ON COLUMN canary_runs.verified_absent IS 'Results of this outcome.';
COMMENT ON COLUMN canary_runs.still_present IS 'Results of this outcome.';
COMMENT ON COLUMN canary_runs.restored IS 'Results of this outcome.';
COMMENT ON COLUMN canary_runs.not_restored IS 'Results of this outcome.';
COMMENT ON COLUMN canary_runs.unreplayed IS 'Results of queries that could not be replayed.';
COMMENT ON COLUMN canary_runs.acted_at IS 'UTC.';
COMMENT ON COLUMN canary_runs.actor IS 'Who.';

CREATE TABLE canary_results (
    run_id        VARCHAR NOT NULL,
    quarantine_id VARCHAR NOT NULL,
    event_id      VARCHAR NOT NULL,
    corpus_id     VARCHAR NOT NULL,
    document_id   VARCHAR NOT NULL,
    tenant        VARCHAR NOT NULL,
    event_tenant  VARCHAR NOT NULL,
    change        VARCHAR NOT NULL,
    outcome       VARCHAR NOT NULL,
    rank_before   INTEGER NOT NULL,
    rank_after    INTEGER,
    method        VARCHAR NOT NULL,
    detail        VARCHAR NOT NULL
);
COMMENT ON TABLE canary_results IS 'Append-only: one query and one document that the version changed.';
COMMENT ON COLUMN canary_results.run_id IS 'Run.';
COMMENT ON COLUMN canary_results.quarantine_id IS 'Version.';
COMMENT ON COLUMN canary_results.event_id IS 'Stored query that had reached the document.';
COMMENT ON COLUMN canary_results.corpus_id IS 'Corpus.';
COMMENT ON COLUMN canary_results.document_id IS 'Document.';
COMMENT ON COLUMN canary_results.tenant IS 'Tenant of the document.';
COMMENT ON COLUMN canary_results.event_tenant IS 'Tenant of the query.';
COMMENT ON COLUMN canary_results.change IS 'added or removed.';
COMMENT ON COLUMN canary_results.outcome IS 'verified_absent, still_present, restored, not_restored or unreplayed.';
COMMENT ON COLUMN canary_results.rank_before IS 'Rank it had in the event.';
COMMENT ON COLUMN canary_results.rank_after IS 'Rank it has now; null where it is absent.';
COMMENT ON COLUMN canary_results.method IS 'retrieval (snapshot searched again) or stored_ranking (the event''s own ranking filtered).';
COMMENT ON COLUMN canary_results.detail IS 'Why a query could not be replayed, else empty.';

CREATE TABLE document_claims (
    claim_id     VARCHAR NOT NULL,
    corpus_id    VARCHAR NOT NULL,
    document_id  VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    tenant       VARCHAR NOT NULL,
    statement    VARCHAR NOT NULL,
    acted_at     TIMESTAMP NOT NULL,
    actor        VARCHAR NOT NULL
);
COMMENT ON TABLE document_claims IS 'Append-only: statements of a document that people check. Apart from promotion: no row is made from a score.';
COMMENT ON COLUMN document_claims.claim_id IS 'claim_ + time + random.';
COMMENT ON COLUMN document_claims.corpus_id IS 'Corpus.';
COMMENT ON COLUMN document_claims.document_id IS 'Document.';
COMMENT ON COLUMN document_claims.content_hash IS 'Text it was read in.';
COMMENT ON COLUMN document_claims.tenant IS 'Tenant of the document.';
COMMENT ON COLUMN document_claims.statement IS 'The statement, in the reader''s words.';
COMMENT ON COLUMN document_claims.acted_at IS 'UTC.';
COMMENT ON COLUMN document_claims.actor IS 'Who.';

CREATE TABLE truth_checks (
    check_id   VARCHAR NOT NULL,
    claim_id   VARCHAR NOT NULL,
    kind       VARCHAR NOT NULL,
    outcome    VARCHAR NOT NULL,
    evidence   VARCHAR[] NOT NULL,
    note       VARCHAR NOT NULL,
    checked_at TIMESTAMP NOT NULL,
    expires_at TIMESTAMP,
    checker    VARCHAR NOT NULL
);
COMMENT ON TABLE truth_checks IS 'Append-only: checks of such statements by people.';
COMMENT ON COLUMN truth_checks.check_id IS 'check_ + time + random.';
COMMENT ON COLUMN truth_checks.claim_id IS 'Claim.';
COMMENT ON COLUMN truth_checks.kind IS 'source_authorisation, cross_source_agreement, time_validity or human_review.';
COMMENT ON COLUMN truth_checks.outcome IS 'supported, contradicted or inconclusive.';
COMMENT ON COLUMN truth_checks.evidence IS 'Links to what was looked at.';
COMMENT ON COLUMN truth_checks.note IS 'Words.';
COMMENT ON COLUMN truth_checks.checked_at IS 'UTC.';
COMMENT ON COLUMN truth_checks.expires_at IS 'From when it counts no more; null = never.';
COMMENT ON COLUMN truth_checks.checker IS 'Who.';

CREATE TABLE remediation_steps (
    step_id      VARCHAR NOT NULL,
    corpus_id    VARCHAR NOT NULL,
    document_id  VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    tenant       VARCHAR NOT NULL,
    step         VARCHAR NOT NULL,
    evidence     VARCHAR[] NOT NULL,
    note         VARCHAR NOT NULL,
    acted_at     TIMESTAMP NOT NULL,
    actor        VARCHAR NOT NULL
);
COMMENT ON TABLE remediation_steps IS 'Append-only: what was done at the source of a document. Apart from promotion and truth.';
COMMENT ON COLUMN remediation_steps.step_id IS 'remedy_ + time + random.';
COMMENT ON COLUMN remediation_steps.corpus_id IS 'Corpus.';
COMMENT ON COLUMN remediation_steps.document_id IS 'Document.';
COMMENT ON COLUMN remediation_steps.content_hash IS 'Text it concerns.';
COMMENT ON COLUMN remediation_steps.tenant IS 'Tenant of the document.';
COMMENT ON COLUMN remediation_steps.step IS 'source_notified, corrected or removed_upstream.';
COMMENT ON COLUMN remediation_steps.evidence IS 'Links.';
COMMENT ON COLUMN remediation_steps.note IS 'Words.';
COMMENT ON COLUMN remediation_steps.acted_at IS 'UTC.';
COMMENT ON COLUMN remediation_steps.actor IS 'Who.';

CREATE TABLE sample_draws (
    draw_id   VARCHAR NOT NULL,
    kind      VARCHAR NOT NULL,
    corpus_id VARCHAR NOT NULL,
    detector  VARCHAR NOT NULL,
    scan_id   VARCHAR,
    unit      VARCHAR NOT NULL,
    seed      BIGINT NOT NULL,
    acted_at  TIMESTAMP NOT NULL,
    actor     VARCHAR NOT NULL
);
COMMENT ON TABLE sample_draws IS 'Append-only: one random draw for blind review.';
COMMENT ON COLUMN sample_draws.draw_id IS 'draw_ + time + random.';
COMMENT ON COLUMN sample_draws.kind IS 'audit, seeded or double.';
COMMENT ON COLUMN sample_draws.corpus_id IS 'Corpus.';
COMMENT ON COLUMN sample_draws.detector IS 'Detector whose misses are estimated; empty for seeded and double.';
COMMENT ON COLUMN sample_draws.scan_id IS 'Scan whose rows were drawn; null for candidates, seeded and double.';
COMMENT ON COLUMN sample_draws.unit IS 'document or candidate.';
COMMENT ON COLUMN sample_draws.seed IS 'Seed of the draw.';
COMMENT ON COLUMN sample_draws.acted_at IS 'UTC.';
COMMENT ON COLUMN sample_draws.actor IS 'Who.';

CREATE TABLE sample_strata (
    draw_id    VARCHAR NOT NULL,
    stratum    VARCHAR NOT NULL,
    population BIGINT NOT NULL,
    drawn      BIGINT NOT NULL
);
COMMENT ON TABLE sample_strata IS 'Append-only: population and size of each stratum of a draw.';
COMMENT ON COLUMN sample_strata.draw_id IS 'Draw.';
COMMENT ON COLUMN sample_strata.stratum IS 'Name.';
COMMENT ON COLUMN sample_strata.population IS 'Units it was drawn from.';
COMMENT ON COLUMN sample_strata.drawn IS 'Units drawn, all subsets of this size equally likely.';

CREATE TABLE review_samples (
    sample_id    VARCHAR NOT NULL,
    draw_id      VARCHAR NOT NULL,
    stratum      VARCHAR NOT NULL,
    corpus_id    VARCHAR NOT NULL,
    document_id  VARCHAR NOT NULL,
    version_id   BIGINT NOT NULL,
    content_hash VARCHAR NOT NULL,
    tenant       VARCHAR NOT NULL,
    event_id     VARCHAR,
    alert_id     VARCHAR,
    probability  DOUBLE NOT NULL,
    truth        BOOLEAN
);
COMMENT ON TABLE review_samples IS 'Append-only: units that entered the blind queue. A reviewer never reads kind, stratum, probability, flagged or truth.';
COMMENT ON COLUMN review_samples.sample_id IS 'sample_ + time + random.';
COMMENT ON COLUMN review_samples.draw_id IS 'Draw.';
COMMENT ON COLUMN review_samples.stratum IS 'Stratum.';
COMMENT ON COLUMN review_samples.corpus_id IS 'Corpus.';
COMMENT ON COLUMN review_samples.document_id IS 'Document.';
COMMENT ON COLUMN review_samples.version_id IS 'Version.';
COMMENT ON COLUMN review_samples.content_hash IS 'Its text.';
COMMENT ON COLUMN review_samples.tenant IS 'Tenant.';
COMMENT ON COLUMN review_samples.event_id IS 'Event of a candidate.';
COMMENT ON COLUMN review_samples.alert_id IS 'Alert that is looked at a second time.';
COMMENT ON COLUMN review_samples.probability IS 'Probability with which it was drawn, (0, 1].';
COMMENT ON COLUMN review_samples.truth IS 'Known answer of a seeded item.';

CREATE TABLE review_answers (
    sample_id VARCHAR NOT NULL,
    reviewer  VARCHAR NOT NULL,
    promoted  BOOLEAN,
    seconds   DOUBLE NOT NULL,
    note      VARCHAR NOT NULL,
    acted_at  TIMESTAMP NOT NULL
);
COMMENT ON TABLE review_answers IS 'Append-only: blind answers.';
COMMENT ON COLUMN review_answers.sample_id IS 'Sample.';
COMMENT ON COLUMN review_answers.reviewer IS 'Who.';
COMMENT ON COLUMN review_answers.promoted IS 'True: looks planted to be retrieved; null: cannot tell.';
COMMENT ON COLUMN review_answers.seconds IS 'From being shown to the answer.';
COMMENT ON COLUMN review_answers.note IS 'Words.';
COMMENT ON COLUMN review_answers.acted_at IS 'UTC.';

CREATE TABLE index_receipts (
    receipt_id    VARCHAR NOT NULL,
    quarantine_id VARCHAR NOT NULL,
    target        VARCHAR NOT NULL,
    body_sha256   VARCHAR NOT NULL,
    nonce         VARCHAR NOT NULL,
    attempts      INTEGER NOT NULL,
    state         VARCHAR NOT NULL,
    status_code   INTEGER,
    problem       VARCHAR NOT NULL,
    answer        VARCHAR NOT NULL,
    acted_at      TIMESTAMP NOT NULL,
    actor         VARCHAR NOT NULL
);
COMMENT ON TABLE index_receipts IS 'Append-only: deliveries of a quarantine version to an index.';
COMMENT ON COLUMN index_receipts.receipt_id IS 'deliv_ + time + random.';
COMMENT ON COLUMN index_receipts.quarantine_id IS 'Version.';
COMMENT ON COLUMN index_receipts.target IS 'URL without query and credentials.';
COMMENT ON COLUMN index_receipts.body_sha256 IS 'SHA-256 (hex) of the body.';
COMMENT ON COLUMN index_receipts.nonce IS 'Of the last attempt.';
COMMENT ON COLUMN index_receipts.attempts IS 'Requests made.';
COMMENT ON COLUMN index_receipts.state IS 'delivered or failed.';
COMMENT ON COLUMN index_receipts.status_code IS 'Last HTTP status, null where none came.';
COMMENT ON COLUMN index_receipts.problem IS 'Why it failed, else empty.';
COMMENT ON COLUMN index_receipts.answer IS 'Start of the index''s answer.';
COMMENT ON COLUMN index_receipts.acted_at IS 'UTC.';
COMMENT ON COLUMN index_receipts.actor IS 'Who.';

CREATE VIEW review_policy_current AS
SELECT * FROM review_policies WHERE seq = (SELECT max(seq) FROM review_policies);
COMMENT ON VIEW review_policy_current IS 'Limits of the desk in force. No row before the first.';

CREATE VIEW user_role_current AS
SELECT * EXCLUDE (place)
FROM (SELECT *, row_number() OVER (PARTITION BY identity ORDER BY seq DESC) AS place FROM user_roles)
WHERE place = 1 AND role <> 'none';
COMMENT ON VIEW user_role_current IS 'Role in force per identity; no row for one whose role was taken away.';

CREATE VIEW alert_risk AS
WITH tiers AS (SELECT corpus_id, document_id, tier FROM risk_tier_current),
sources AS (SELECT corpus_id, name, trust FROM source_trust_current WHERE kind = 'source'),
contributors AS (SELECT corpus_id, name, trust FROM source_trust_current WHERE kind = 'contributor'),
places AS (SELECT DISTINCT corpus_id, source_uri FROM alerts),
longest AS (
    SELECT places.corpus_id, places.source_uri, arg_max(sources.trust, length(sources.name)) AS trust
    FROM places
    JOIN sources ON sources.corpus_id = places.corpus_id AND starts_with(places.source_uri, sources.name)
    GROUP BY ALL
)
SELECT alerts.alert_id,
       coalesce(own.tier, whole.tier, 1) AS tier,
       coalesce(greatest(CASE longest.trust WHEN 'trusted' THEN 0.0 WHEN 'neutral' THEN 0.5 WHEN 'untrusted' THEN 1.0 END,
                         CASE contributors.trust WHEN 'trusted' THEN 0.0 WHEN 'neutral' THEN 0.5 WHEN 'untrusted' THEN 1.0 END),
                0.5)::DOUBLE AS distrust
FROM alerts
LEFT JOIN tiers AS own ON own.corpus_id = alerts.corpus_id AND own.document_id = alerts.document_id AND own.document_id <> ''
LEFT JOIN tiers AS whole ON whole.corpus_id = alerts.corpus_id AND whole.document_id = ''
LEFT JOIN longest ON longest.corpus_id = alerts.corpus_id AND longest.source_uri = alerts.source_uri
LEFT JOIN contributors ON contributors.corpus_id = alerts.corpus_id AND contributors.name = alerts.contributor;
COMMENT ON VIEW alert_risk IS 'What people said of each alert''s source and document.';
COMMENT ON COLUMN alert_risk.tier IS 'Risk tier of the document, else of its corpus, else 1.';
COMMENT ON COLUMN alert_risk.distrust IS '0 trusted, 0.5 neutral or nothing said, 1 untrusted: the higher of the contributor''s and the longest matching source''s.';

ALTER TABLE quarantine_members ADD COLUMN expires_at TIMESTAMP;
COMMENT ON COLUMN quarantine_members.expires_at IS 'When it leaves the quarantine by itself, UTC; null = never.';

INSERT INTO quarantine_changes
SELECT after.quarantine_id, after.corpus_id, after.document_id, after.tenant, after.alert_id, 'added',
       CASE WHEN versions.restores_id IS NULL THEN 'quarantine' ELSE 'rollback' END, versions.author, '', versions.note, NULL
FROM quarantine_members AS after
JOIN quarantine_versions AS versions USING (quarantine_id)
ANTI JOIN quarantine_members AS before
  ON before.quarantine_id = versions.parent_id AND before.corpus_id = after.corpus_id
     AND before.document_id = after.document_id
UNION ALL
SELECT versions.quarantine_id, before.corpus_id, before.document_id, before.tenant, before.alert_id, 'removed',
       CASE WHEN versions.restores_id IS NULL THEN 'release' ELSE 'rollback' END, versions.author, '', versions.note, NULL
FROM quarantine_versions AS versions
JOIN quarantine_members AS before ON before.quarantine_id = versions.parent_id
ANTI JOIN quarantine_members AS after
  ON after.quarantine_id = versions.quarantine_id AND after.corpus_id = before.corpus_id
     AND after.document_id = before.document_id;

DROP VIEW alert_folded;
CREATE VIEW alert_folded AS
SELECT alerts.*,
       state.status, state.holder, state.expires_at, state.verdict, state.reason, state.actor AS state_actor, state.acted_at AS state_at,
       history.version, history.score, history.evidence, history.retrieved, history.in_context,
       history.last_evidence_at, history.campaign, coalesce(history.campaign_size, 1) AS campaign_size,
       40 * least(1.0, coalesce(history.score, 0) / (2 * alerts.threshold))
         + 25 * least(1.0, log10(1 + history.in_context) / 2)
         + 15 * least(1.0, (coalesce(history.campaign_size, 1) - 1) / 4)
         + 10 * risk.distrust + 10 * (risk.tier - 1) / 2 AS severity
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
JOIN alert_events AS state ON state.seq = history.state_seq
JOIN alert_risk AS risk ON risk.alert_id = alerts.alert_id;
COMMENT ON VIEW alert_folded IS 'Current state of every alert, folded from its whole history: what alert_current must equal.';
COMMENT ON COLUMN alert_folded.status IS 'State now.';
COMMENT ON COLUMN alert_folded.version IS 'How often the state was set; a decision names the version it saw.';
COMMENT ON COLUMN alert_folded.score IS 'Highest score of any evidence.';
COMMENT ON COLUMN alert_folded.evidence IS 'Scans and events that flagged it.';
COMMENT ON COLUMN alert_folded.retrieved IS 'Events in which it was retrieved.';
COMMENT ON COLUMN alert_folded.in_context IS 'Events whose final context held it.';
COMMENT ON COLUMN alert_folded.campaign IS 'Connected group of the last evidence that named one.';
COMMENT ON COLUMN alert_folded.campaign_size IS 'Members of that group, 1 where it is alone.';
COMMENT ON COLUMN alert_folded.severity IS '0 to 100, orders the queue and nothing else: 40 for the score (full at twice the threshold), 25 for reach (full at 99 contexts), 15 for the campaign (full at five members), 10 for distrust, 10 for the risk tier.';

UPDATE alert_current SET severity = folded.severity FROM alert_folded AS folded WHERE folded.alert_id = alert_current.alert_id;
COMMENT ON COLUMN alert_current.severity IS '0 to 100; see alert_folded.';
