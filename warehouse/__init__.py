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
    full_refused, embedded, seconds, batch, rejects)``. ``batches``: ``RecordBatchColumns`` of
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
    new_alerts, already)``; ``scans.find_scan(wh, *, snapshot, detector, config_key, encoder, code_version,
    principal, model_versions=None) -> dict | None``; ``scans.record_failed_scan(…)``; ``scans.list_scans(wh, *,
    principal, corpus="")``; ``scans.get_scan(wh, scan, *, principal)``; ``scans.score_page(wh, scan, *, principal,
    sort="score", descending=True, limit=50, offset=0, flagged=None, search="") -> Page``; ``scans.scan_scores(wh,
    scan, *, principal) -> pyarrow.Table``; ``scans.scan_neighbors(wh, scan, version_ids, *, principal) -> list``.

Events
    ``events.record_events(wh, [EventRecord(…)], *, principal) -> RecordedEvents(events, duplicates, candidates,
    flagged, alerts, new_alerts, ids)``; ``events.list_events(wh, *, principal, …) -> Page``; ``events.get_event(wh,
    event, *, principal) -> EventDetail(event, ranking, candidates)``; ``events.candidate_rows(wh, *, principal,
    corpus="", rule="") -> pyarrow.Table``.

Alerts
    ``alerts.queue_page(wh, *, principal, filters=QueueFilter(), sort="severity", descending=True, limit=50,
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

Decisions (people only; ``RefusedError.reason`` is a name of ``refusals.Refusal``)
    ``decisions.decide(wh, alert, expected_version, *, principal, verdict, reason, note="", seen=None) -> Decision``;
    ``holds.hold(wh, alert, *, principal, hours, reason)``, ``end_hold``, ``list_holds``;
    ``quarantine.propose(wh, *, principal, add=(alert ids), remove=((corpus, document id),), note="")``,
    ``publish_version``, ``reject_version``, ``propose_rollback``, ``list_versions``, ``current_version``,
    ``version_members``, ``diff_versions``. New workflow steps: ``alert_state.set_state`` in an urgent transaction.
    In force for other processes: ``publish.ensure_published(wh, *, principal)``, read by
    ``ragsieve_core.publication.PublicationReader(<file>.d/published)``.
    ``provenance.set_trust``, ``set_risk_tier``, ``admit``, ``trust_history``, ``risk_history``;
    ``erasure.erase_document(wh, corpus, document_id, *, principal, reason) -> Erasure``.

Upkeep
    ``backup.backup(wh, folder, *, principal)``, ``backup.restore(folder, path)``, ``backup.compact(path, *,
    principal)``, ``backup.gc(wh, *, principal)``, ``inbox.sweep(wh)``.

Writes take one of two lanes: ``wh.run_transaction(work)`` for bulk, ``wh.run_transaction(work, urgent=True)`` for the
few rows a person waits for; the lanes must not change the same columns of a row (DuckDB need not see a lost update).

Every record handed in is a frozen dataclass of :mod:`warehouse.records` (NumPy arrays or plain tuples, no pandas).
Rows handed out are dicts whose keys are the column names of docs/schema.md; JSON columns are text.
"""
