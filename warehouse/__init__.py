"""The warehouse: one DuckDB file, one owning process, histories that are only appended.

Only this package imports duckdb. Import from the modules below; this file imports nothing, so that it is cheap.
``wh`` is an open :class:`warehouse.database.Warehouse`; ``principal`` a :class:`warehouse.principal.Principal`,
asked for by every public read and write and applied as a tenant filter in SQL. Ids are strings (``scan_…``,
``snap_…``, ``event_…``, ``alert_…``) save ``version_id``, an int64 that names one version of one document for ever.

Opening
    ``database.Warehouse.open(path, *, command, wait_s=0.0) -> Warehouse``: context manager, creates and migrates;
    BusyError (exit 3) names the holder. ``wh.path``, ``wh.side.root`` (folder ``<file>.d``), ``wh.cursor()``,
    ``wh.reading()``, ``wh.run_transaction(fn) -> T`` (``fn(cursor)``, one write lock, whole-transaction retry),
    ``wh.checkpoint()``, ``wh.close()``. Share one between threads; never share a cursor.
    ``owner.current_holder(path) -> Holder | None`` (pid, command, since, host; does not open the DuckDB file).
    ``principal.local_principal() -> Principal`` (the OS user, admin, all tenants, mode ``single_user_mode``),
    ``principal.Principal(identity, role, tenants=None)``: viewer < reviewer < approver < admin; None = all tenants.

Corpora, encoders, documents
    ``corpora.ensure_corpus(wh, name, *, principal, admission=None) -> Corpus``, ``corpora.list_corpora(wh, *,
    principal)``, ``corpora.get_corpus(wh, name, *, principal)`` (InputError with the nearest name).
    ``records.EncoderSpec(key, name, dimension, parameters)``, ``encoders.list_encoders(wh, *, principal)``.
    ``ingest.ingest(wh, corpus, batches, *, principal, embeddings=None, encoder=None, batch_label="", full=False,
    input_name="") -> IngestResult(accepted, duplicates, rejected, snapshot, rejects_file, documents, tombstoned,
    full_refused, embedded, seconds, batch, rejects, admission)``. ``batches``: ``RecordBatchColumns`` of
    ``ragsieve_core.formats.records``. ``embeddings``: float (records, d), row i for record i of the input.
    ``embeddings.add_embeddings(wh, snapshot, encoder, matrix, *, principal, version_ids=None)``.
    ``embeddings.verify_segments(wh) -> list[str]``.

Snapshots
    ``snapshots.latest_snapshot(wh, corpus, *, principal) -> Snapshot | None``, ``snapshots.list_snapshots(…)``,
    ``snapshots.load_snapshot(wh, snapshot, *, principal, encoder=None, texts=True) -> SnapshotDocuments(snapshot,
    corpus, corpus_id, version_ids, ids, texts, titles, sources, tenants, content_hashes, embeddings, missing)``:
    ``embeddings`` float32 (N, d), memory-mapped where one file holds it, None while any row lacks one; ``missing``
    the positions that lack one; ``.full_texts()`` joins titles as METHOD says.

Scans
    ``scans.record_scan(wh, ScanRecord(…), *, principal) -> RecordedScan(scan, documents, flagged, alerts,
    new_alerts, already, copies, new_copies, changes)``;
    ``scans.find_scan(wh, *, snapshot, detector, config_key, encoder, code_version,
    principal, model_versions=None) -> dict | None``; ``scans.record_failed_scan(…)``; ``scans.list_scans(wh, *,
    principal, corpus="")``; ``scans.get_scan(wh, scan, *, principal)``; ``scans.score_page(wh, scan, *, principal,
    sort="score", descending=True, limit=50, offset=0, flagged=None, search="") -> Page``; ``scans.scan_scores(wh,
    scan, *, principal) -> pyarrow.Table``; ``scans.scan_neighbors(wh, scan, version_ids, *, principal) -> list``.

    What a scan changed and why: ``scans.scan_changes(wh, scan, principal, *, most=100) -> ScanChanges(scan, previous,
    documents, added, removed, changed, new_alerts, alerts_gone, moved, rows, search)``.
    ``campaigns.list_campaigns(wh, *, principal, corpus="") -> list``, ``campaigns.campaign_detail(wh, campaign, *,
    principal) -> CampaignDetail(campaign, members, context, contributors, batches, sources)``;
    ``copies.list_copy_groups(wh, *, principal, corpus="") -> list``; ``freshness.corpus_freshness(wh, *, principal) ->
    list[Freshness(corpus_id, corpus, documents, unscanned, oldest_at, oldest_hours, last_scan_at)]``.
    For whoever scans, owner or not: ``neighbor_files.load_lists``, ``save_lists``, ``earlier_state``;
    ``scan_scratch.scan_scratch(side)``.

Events
    ``events.record_events(wh, [EventRecord(…)], *, principal) -> RecordedEvents(events, duplicates, candidates,
    flagged, alerts, new_alerts, ids)``; ``events.list_events(wh, *, principal, …) -> Page``; ``events.get_event(wh,
    event, *, principal) -> EventDetail(event, ranking, candidates)``; ``events.candidate_rows(wh, *, principal,
    corpus="", rule="") -> pyarrow.Table``.
    ``comparing.compared_rankings(wh, corpus, a, b, *, principal, source="", rule="", condition="", event="") ->
    (events, ranked documents)``: pyarrow tables with membership in two quarantine versions;
    ``comparing.version_texts(wh, versions, *, principal) -> dict``.

Alerts
    ``alerts.queue_page(wh, *, principal, filters=QueueFilter(…, kinds=()), sort="severity", descending=True, limit=50,
    offset=0) -> Page(rows, total, limit, offset)``; ``alerts.SORTS``; ``alerts.queue_ids(…)``;
    ``alerts.alert_detail(wh, alert, *, principal) -> AlertDetail(alert, document, scores, neighbors, evidence,
    reach, reach_totals, versions, history)``.

Policies
    ``policies.save_policy(wh, rules, *, principal, note="", parent=None) -> PolicyVersion``, ``rollback_policy``,
    ``approve_policy``, ``reject_policy``, ``list_policies``, ``get_policy``, ``current_policy``, ``diff_policies``;
    ``rules``: :class:`ragsieve_core.policy.PolicyRule`. In force for other processes as ``InForce.policy``.

What-if and evaluation
    ``evaluation.labelled_candidates(wh, *, principal, corpus="") -> pyarrow.Table``, ``latest_scans``,
    ``labelled_documents(wh, scan, *, principal)``, ``retained_links``, ``injected``; ``whatif.candidates(wh, corpus,
    rule, retriever, *, principal)``, ``judged_rankings``, ``neighbors(wh, scan, *, principal)``, ``reach``.
    ``labels.record_qrels(wh, corpus, [(query id, document id, relevance)], *, source, principal) -> int``.

Overview, labels, audit
    ``overview.overview(wh, *, principal) -> dict``; ``labels.record_labels(wh, [LabelRecord(…)], *, principal) ->
    int``; ``labels.list_labels(wh, *, principal, corpus="") -> pyarrow.Table``; ``audit.verify(wh, *, against=()) ->
    AuditReport``; ``audit.head(wh) -> AuditHead``; ``audit.append_head(wh, sink)``; ``audit.read_heads(sink)``;
    ``audit.audit_page(wh, *, principal, …) -> Page``; ``audit.export(wh, *, principal, first=1) -> list``;
    ``consistency.broken_rules(wh) -> list[str]`` (for doctor).

Other processes
    The owner: ``inbox.InboxWorker(wh).start()``, ``.stop()`` before it ends; ``inbox.take_in(wh) -> list[Receipt]``.
    Everybody else: ``segment_kinds.documents_segment(…)``, ``embeddings_segment``, ``scan_segment``,
    ``events_segment`` (bytes); ``delivery.deliver(path, data, *, command, wait_s, on_wait) -> Receipt(segment_id,
    kind, state, result, reason, message)``: takes the lock if it is free, else waits for the owner's receipt;
    ``delivery.fetch_snapshot(path, *, command, corpus|snapshot, encoder) -> (SnapshotDocuments | None, Receipt)``;
    ``delivery.be_considerate() -> int`` cores left; ``inbox.submit``, ``inbox.read_receipt``, ``inbox.waiting``.
    HTTP: ``http.check_request(wh, method, headers)`` before the body is read, ``http.handle_ingest(wh, method, headers,
    body) -> HttpAnswer(status, body, headers, content)``. ``tokens.issue_token(wh, *, principal, name, scope, tenant,
    days) -> IssuedToken(token_id, secret, expires_at)``, ``revoke_token``, ``list_tokens``, ``authenticate(wh, text,
    scope) -> Principal | None`` (scopes ingest, gate, read; none decides).

Review desk (people only; ``RefusedError.reason`` is a name of ``refusals.Refusal``; see docs/review-desk.md)
    ``claims.claim(wh, alert, expected_version, *, principal, minutes=None, takeover=False) -> Claim``, ``end_claim``;
    ``decisions.decide(wh, alert, expected_version, *, principal, verdict, reason, note="", seen=None, at_once=False) ->
    Decision(alert_id, version, status, verdict, reason, before, quarantine_id)``; ``undoing.undo``, ``redo``,
    ``reopen`` ``(wh, alert, expected_version, *, principal) -> Undone(alert_id, version, status, quarantine_id,
    waiting)``, ``undoing.undoable(wh, alert, *, principal) -> Undoable(undo, redo, undo_refused, redo_refused)``;
    ``approvals.approve(wh, [alert…], *, principal, note="")``, ``turn_down``; ``bulk.preview``, ``start``, ``run``,
    ``report``, ``results``, ``list_jobs``, ``undo_of``; ``holds.hold(wh, alert, *, principal, hours, reason)``,
    ``end_hold``, ``list_holds``, ``hold_by_policy``; ``realerting.allow_list``, ``reopen_changed``;
    ``release_costs.release_costs``, ``costs_by_week``; ``desk_upkeep.keep_up`` (the owner's idle work).
    ``quarantine.propose(wh, *, principal, add=(alert ids), remove=((corpus, document id),), note="", expires_at=None,
    release_reason="benign", release_days=None)``, ``publish_version``, ``reject_version``, ``propose_rollback``,
    ``expire_members``; ``quarantine_versions.timeline``, ``list_versions``, ``current_version``, ``version_members``,
    ``version_changes``, ``diff_versions``. New steps: ``acting.act(wh, principal, work, cause=…)``.
    ``canary.run_canary(wh, quarantine_id, *, principal, replay)``, ``canary_runs``, ``canary_results``;
    ``truth.state_claim``, ``record_check``, ``list_claims``; ``remediation.record_remedy``, ``list_remedies``;
    ``incident.incident_archive(wh, alert, *, principal) -> (bytes, dict)``; ``index_export.list_receipts``;
    ``sampling.draw_unflagged``, ``seed_known``, ``draw_second_looks``, ``next_blind``, ``answer_blind``;
    ``quality.review_quality``, ``recall_estimate``, ``record_review_labels``; ``roles.principal_for``, ``set_role``,
    ``set_policy``, ``approve_request``, ``reject_request``, ``list_requests``, ``list_roles``;
    ``desk_policy.review_policy``.
    In force for other processes: ``publish.ensure_published(wh, *, principal)``, read by
    ``ragsieve_core.publication.PublicationReader(<file>.d/published)``.
    ``provenance.set_trust``, ``set_risk_tier``, ``admit``, ``trust_history``, ``risk_history``;
    ``erasure.erasable_hashes(wh, corpus, document_id, *, principal) -> list[str]``,
    ``erasure.erase_document(wh, corpus, document_id, *, principal, reason) -> Erasure``.

Upkeep
    ``backup.backup(wh, folder, *, principal)``, ``backup.restore(folder, path)``, ``backup.compact(path, *,
    principal)``, ``backup.gc(wh, *, principal)``, ``inbox.sweep(wh)``.

Writes take one of two lanes: ``wh.run_transaction(work)`` for bulk, ``wh.run_transaction(work, urgent=True)`` for the
few rows a person waits for; the lanes must not change the same columns of a row (DuckDB need not see a lost update).

Every record handed in is a frozen dataclass of :mod:`warehouse.records` (NumPy arrays or plain tuples, no pandas).
Rows handed out are dicts whose keys are the column names of docs/schema.md; JSON columns are text.
"""
