-- What a scan changed and why, campaigns and copy groups with ids that outlive a scan, and what kind of evidence an alert
-- rests on. TIMESTAMP is UTC.

CREATE TABLE scan_comparisons (
    scan_id     VARCHAR NOT NULL,
    previous_id VARCHAR,
    tenant      VARCHAR NOT NULL,
    documents   BIGINT NOT NULL,
    added       BIGINT NOT NULL,
    removed     BIGINT NOT NULL,
    changed     BIGINT NOT NULL,
    new_alerts  BIGINT NOT NULL,
    alerts_gone BIGINT NOT NULL,
    moved       BIGINT NOT NULL
);
COMMENT ON TABLE scan_comparisons IS 'One row per scan and tenant: what changed since the previous scan of the corpus by the same detector, parameters and encoder.';
COMMENT ON COLUMN scan_comparisons.scan_id IS 'Scan.';
COMMENT ON COLUMN scan_comparisons.previous_id IS 'Scan it is compared with; null where it is the first of its kind.';
COMMENT ON COLUMN scan_comparisons.tenant IS 'Whose documents are counted.';
COMMENT ON COLUMN scan_comparisons.documents IS 'Documents of this scan.';
COMMENT ON COLUMN scan_comparisons.added IS 'Documents that the previous scan did not hold.';
COMMENT ON COLUMN scan_comparisons.removed IS 'Documents that only the previous scan held.';
COMMENT ON COLUMN scan_comparisons.changed IS 'Documents with another text than in the previous scan.';
COMMENT ON COLUMN scan_comparisons.new_alerts IS 'Documents flagged now and not in the previous scan.';
COMMENT ON COLUMN scan_comparisons.alerts_gone IS 'Documents flagged in the previous scan and not now.';
COMMENT ON COLUMN scan_comparisons.moved IS 'Documents of the same text whose set of k_G neighbours changed.';

CREATE TABLE scan_changes (
    scan_id        VARCHAR NOT NULL,
    kind           VARCHAR NOT NULL,
    place          INTEGER NOT NULL,
    document_id    VARCHAR NOT NULL,
    tenant         VARCHAR NOT NULL,
    version_id     BIGINT,
    previous_id    BIGINT,
    reason         VARCHAR NOT NULL,
    joined         BIGINT[] NOT NULL,
    left_out       BIGINT[] NOT NULL,
    score          DOUBLE,
    score_before   DOUBLE,
    density        DOUBLE,
    density_before DOUBLE
);
COMMENT ON TABLE scan_changes IS 'One row per document whose flag changed since the previous scan, and per tenant the 50 whose density moved most.';
COMMENT ON COLUMN scan_changes.scan_id IS 'Scan.';
COMMENT ON COLUMN scan_changes.kind IS 'new_alert, alert_gone or moved.';
COMMENT ON COLUMN scan_changes.place IS '1, 2, … within scan, kind and tenant: highest score first, or largest change of density first.';
COMMENT ON COLUMN scan_changes.document_id IS 'Document.';
COMMENT ON COLUMN scan_changes.tenant IS 'Its tenant.';
COMMENT ON COLUMN scan_changes.version_id IS 'Version in this scan; null where the document is gone.';
COMMENT ON COLUMN scan_changes.previous_id IS 'Version in the previous scan; null where it is new.';
COMMENT ON COLUMN scan_changes.reason IS 'new_document, document_gone, text_changed, neighbours_changed, code_changed, or corpus_changed: the same text and neighbours, but the rest of the corpus it is measured against is another.';
COMMENT ON COLUMN scan_changes.joined IS 'Versions among its neighbours now whose text was not among them before.';
COMMENT ON COLUMN scan_changes.left_out IS 'Versions among its neighbours before whose text is not among them now.';
COMMENT ON COLUMN scan_changes.score IS 'Score now.';
COMMENT ON COLUMN scan_changes.score_before IS 'Score in the previous scan.';
COMMENT ON COLUMN scan_changes.density IS 'Density now.';
COMMENT ON COLUMN scan_changes.density_before IS 'Density in the previous scan.';

CREATE TABLE campaigns (
    scan_id         VARCHAR NOT NULL,
    campaign_id     VARCHAR NOT NULL,
    corpus_id       VARCHAR NOT NULL,
    number          INTEGER NOT NULL,
    documents       INTEGER NOT NULL,
    evidence        DOUBLE,
    expected_number DOUBLE,
    shared_words    VARCHAR[] NOT NULL,
    context         BIGINT[] NOT NULL,
    recorded_at     TIMESTAMP NOT NULL
);
COMMENT ON TABLE campaigns IS 'Groups of documents that alert themselves, one row per scan that saw the group. Members are the rows of scan_scores with its number.';
COMMENT ON COLUMN campaigns.scan_id IS 'Scan.';
COMMENT ON COLUMN campaigns.campaign_id IS 'c- and 16 hex digits, under the warehouse''s key; kept over scans while more than half of either set of members is shared.';
COMMENT ON COLUMN campaigns.corpus_id IS 'Corpus.';
COMMENT ON COLUMN campaigns.number IS 'Its number in scan_scores.campaign of that scan.';
COMMENT ON COLUMN campaigns.documents IS 'Members.';
COMMENT ON COLUMN campaigns.evidence IS 'Strongest evidence of a member; null where the rule has none.';
COMMENT ON COLUMN campaigns.expected_number IS 'Documents expected to reach it if none were planted.';
COMMENT ON COLUMN campaigns.shared_words IS 'Words every member holds, rarest in the corpus first, at most 20.';
COMMENT ON COLUMN campaigns.context IS 'Versions near a member that do not alert; never members.';
COMMENT ON COLUMN campaigns.recorded_at IS 'UTC.';

CREATE TABLE copy_groups (
    scan_id       VARCHAR NOT NULL,
    group_id      VARCHAR NOT NULL,
    corpus_id     VARCHAR NOT NULL,
    kind          VARCHAR NOT NULL,
    documents     INTEGER NOT NULL,
    exact         INTEGER NOT NULL,
    sources       INTEGER NOT NULL,
    contributors  INTEGER NOT NULL,
    least_jaccard DOUBLE NOT NULL,
    own_share     DOUBLE NOT NULL,
    raised        BOOLEAN NOT NULL,
    rule          VARCHAR NOT NULL,
    recorded_at   TIMESTAMP NOT NULL
);
COMMENT ON TABLE copy_groups IS 'Documents that say the same in the same words, one row per scan that saw the group.';
COMMENT ON COLUMN copy_groups.scan_id IS 'Scan.';
COMMENT ON COLUMN copy_groups.group_id IS 'g- and 16 hex digits, under the warehouse''s key; kept over scans while more than half of either set of members is shared.';
COMMENT ON COLUMN copy_groups.corpus_id IS 'Corpus.';
COMMENT ON COLUMN copy_groups.kind IS 'flood, versions (one source, ingested again) or template (one frame with different content).';
COMMENT ON COLUMN copy_groups.documents IS 'Members.';
COMMENT ON COLUMN copy_groups.exact IS 'Members with a word-for-word equal in the group.';
COMMENT ON COLUMN copy_groups.sources IS 'Different sources among members that name one.';
COMMENT ON COLUMN copy_groups.contributors IS 'Different contributors among members that name one.';
COMMENT ON COLUMN copy_groups.least_jaccard IS 'Smallest word overlap of the pairs that hold it together, 0 to 1.';
COMMENT ON COLUMN copy_groups.own_share IS 'Mean share of a member''s words that no other member holds, 0 to 1.';
COMMENT ON COLUMN copy_groups.raised IS 'True where the rule made alerts of its members.';
COMMENT ON COLUMN copy_groups.rule IS 'Name of that rule.';
COMMENT ON COLUMN copy_groups.recorded_at IS 'UTC.';

CREATE TABLE copy_members (
    scan_id     VARCHAR NOT NULL,
    group_id    VARCHAR NOT NULL,
    version_id  BIGINT NOT NULL,
    document_id VARCHAR NOT NULL,
    tenant      VARCHAR NOT NULL
);
COMMENT ON TABLE copy_members IS 'Members of copy groups.';
COMMENT ON COLUMN copy_members.scan_id IS 'Scan.';
COMMENT ON COLUMN copy_members.group_id IS 'Group.';
COMMENT ON COLUMN copy_members.version_id IS 'Document version.';
COMMENT ON COLUMN copy_members.document_id IS 'Of that version.';
COMMENT ON COLUMN copy_members.tenant IS 'Of that version.';

CREATE TABLE alert_kinds (
    alert_id VARCHAR NOT NULL,
    kind     VARCHAR NOT NULL,
    scan_id  VARCHAR NOT NULL,
    since    TIMESTAMP NOT NULL
);
COMMENT ON TABLE alert_kinds IS 'Append-only: what kinds of corpus evidence ever fed an alert, one row each. Alerts of RSQ have none.';
COMMENT ON COLUMN alert_kinds.alert_id IS 'Alert.';
COMMENT ON COLUMN alert_kinds.kind IS 'isolation (a group apart from the corpus), integrity (mixed writing systems) or copies (the same words from several places).';
COMMENT ON COLUMN alert_kinds.scan_id IS 'First scan that gave it.';
COMMENT ON COLUMN alert_kinds.since IS 'UTC.';

INSERT INTO alert_kinds BY NAME
SELECT events.alert_id, kinds.kind, min(events.scan_id) AS scan_id, min(events.acted_at) AS since
FROM alert_events AS events
JOIN alerts USING (alert_id)
JOIN scans USING (scan_id)
JOIN document_versions AS versions
  ON versions.corpus_id = alerts.corpus_id AND versions.document_id = alerts.document_id
 AND versions.content_hash = alerts.content_hash
JOIN scan_scores AS scores ON scores.scan_id = events.scan_id AND scores.version_id = versions.version_id
CROSS JOIN (VALUES ('isolation'), ('integrity')) AS kinds(kind)
WHERE events.kind = 'evidence'
  AND CASE kinds.kind
      WHEN 'integrity' THEN scores.integrity >= scans.threshold
      ELSE coalesce(scores.topology_score, scores.score) >= scans.threshold
  END
GROUP BY events.alert_id, kinds.kind
ORDER BY events.alert_id, kinds.kind;
