"""One act on many alerts: a counted preview, then one recorded job that goes on where it was interrupted.

A job is stored whole with the versions its author saw; each item's result is stored in the transaction of its act, so
that a kill leaves every item either done with its result or untouched without one. An alert that changed since is
refused by name and counted, never overridden. The author stays the proposer, whoever resumes the job.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from ragsieve_core.errors import InputError
from ragsieve_core.review.not_allowed import NotAllowedError
from warehouse import audit, publish, sql
from warehouse.acting import Acting
from warehouse.alert_rows import rows_of
from warehouse.alerts import QueueFilter, queue_ids
from warehouse.bulk_acts import ACTS, Act, BulkAct, do_act, do_item, prepare
from warehouse.bulk_reports import BulkReport, job_of, list_jobs, report, results
from warehouse.database import Warehouse
from warehouse.errors import RefusedError
from warehouse.ids import canonical_json, new_id, utc_now
from warehouse.principal import Principal
from warehouse.refusals import Refusal

__all__ = [
    "ACTS",
    "CHUNK",
    "Act",
    "BulkAct",
    "BulkPreview",
    "BulkReport",
    "list_jobs",
    "preview",
    "report",
    "results",
    "run",
    "start",
    "undo_of",
]

CHUNK = 250
"""Items of one transaction: other people's decisions wait no longer than one chunk takes."""


@dataclass(frozen=True, slots=True)
class BulkPreview:
    """What a job would do now.

    Attributes
    ----------
    items : (alert id, version) in the order they would be worked, exceptions left out.
    exceptions : alerts left out by hand.
    outcomes : counts by resulting status, and by ``refused:<reason>``; they add up to the items.
    contexts, tenants, corpora : answers whose context held one of the texts; tenants and corpora concerned.
    """

    items: tuple[tuple[str, int], ...]
    exceptions: int
    outcomes: Mapping[str, int]
    contexts: int
    tenants: tuple[str, ...]
    corpora: tuple[str, ...]
    source: Mapping[str, Any] = field(default_factory=dict)


def preview(
    wh: Warehouse,
    act: BulkAct,
    *,
    principal: Principal,
    alerts: Sequence[str] = (),
    filters: QueueFilter | None = None,
    campaign: str = "",
    exceptions: Sequence[str] = (),
) -> BulkPreview:
    """Count what an act on a selection, a filter or a campaign would do; changes nothing.

    Parameters
    ----------
    alerts, filters, campaign : exactly one of them.
    exceptions : alert ids to leave out.

    Raises
    ------
    InputError
        not exactly one source, an unknown alert in a selection, or an exception that is not in it.
    """
    principal.require_person("reviewer", "act on many alerts")
    if sum((bool(alerts), filters is not None, bool(campaign))) != 1:
        raise InputError("on which alerts?", where="bulk", expected="a selection, a filter or a campaign")
    source: dict[str, Any] = {"alerts": len(alerts)}
    wanted = list(dict.fromkeys(alerts))
    if campaign:
        source, filters = {"campaign": campaign}, QueueFilter(campaign=campaign)
    elif filters is not None:
        source = {
            "filter": {n: v for n in filters.__dataclass_fields__ if (v := getattr(filters, n)) not in ((), "", None)}
        }
    if filters is not None:
        wanted = queue_ids(wh, principal=principal, filters=filters)
    unknown = set(exceptions) - set(wanted)
    with wh.transaction(urgent=True) as cursor:
        # A write transaction that writes nothing: the same code judges as in the job itself.
        rows = {row["alert_id"]: row for row in rows_of(cursor, wanted, principal)}
        missing = next((name for name in wanted if name not in rows), None)
        if missing is not None:
            raise InputError(f"no alert {missing!r}", where="alerts", do="copy the id from the queue")
        if unknown:
            raise InputError(f"{sorted(unknown)[0]!r} is not among them", where="exceptions")
        left = [rows[name] for name in wanted if name not in set(exceptions)]
        acting = Acting(wh, cursor, principal)
        prepare(acting, act, [row["alert_id"] for row in left])
        outcomes: Counter[str] = Counter()
        for row in left:
            try:
                outcomes[do_act(acting, row, act).status] += 1
            except NotAllowedError as error:
                outcomes[f"refused:{error.reason}"] += 1
            except RefusedError as error:
                outcomes[f"refused:{error.reason}"] += 1
    return BulkPreview(
        tuple((row["alert_id"], int(row["version"])) for row in left),
        len(exceptions),
        dict(outcomes),
        sum(int(row["in_context"]) for row in left),
        tuple(sorted({row["tenant"] for row in left})),
        tuple(sorted({row["corpus"] for row in left})),
        source,
    )


def start(wh: Warehouse, act: BulkAct, previewed: BulkPreview, *, principal: Principal) -> str:
    """Store a job over what was previewed; nothing is done until :func:`run`. Returns its id."""
    principal.require_person("reviewer", "act on many alerts")
    if not previewed.items:
        raise RefusedError(Refusal.NOTHING_TO_DO, "no alert is left to act on", where="bulk")
    job_id = new_id("bulk")
    arguments = {name: getattr(act, name) for name in ("verdict", "reason", "note", "at_once")}

    def work(cursor: Any) -> None:
        cursor.execute(
            "INSERT INTO bulk_jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                job_id,
                act.act,
                canonical_json(arguments),
                canonical_json(dict(previewed.source)),
                len(previewed.items),
                previewed.exceptions,
                principal.mode,
                utc_now(),
                principal.identity,
            ],
        ).complete()
        columns = {
            "job_id": pa.array([job_id] * len(previewed.items)),
            "position": pa.array(range(1, len(previewed.items) + 1), pa.int64()),
            "alert_id": pa.array([alert for alert, _ in previewed.items]),
            "expected_version": pa.array([version for _, version in previewed.items], pa.int64()),
        }
        sql.insert(cursor, "bulk_items", pa.table(columns))
        body: dict[str, object] = {"act": act.act, "items": len(previewed.items), "exceptions": previewed.exceptions}
        body |= {"verdict": act.verdict, "reason": act.reason}
        audit.append(cursor, principal.identity, "bulk_started", job_id, body)

    wh.run_transaction(work, urgent=True)
    return job_id


def run(
    wh: Warehouse,
    job_id: str,
    *,
    principal: Principal,
    progress: Callable[[int, int], None] | None = None,
    at_most: int | None = None,
) -> BulkReport:
    """Work the items that have no result yet, chunk by chunk; safe to call again after any interruption.

    Parameters
    ----------
    progress : takes items with a result and all items, after each chunk.
    at_most : chunks to work now; None for all.
    """
    principal.require_person("reviewer", "act on many alerts")
    job = job_of(wh, job_id)
    act = BulkAct(job["act"], **json.loads(job["arguments"]))
    chunks = 0
    while at_most is None or chunks < at_most:
        if not _chunk(wh, job, act, principal):
            break
        chunks += 1
        if progress is not None:
            counts = report(wh, job_id, principal=principal)
            progress(counts.done + counts.refused, counts.items)
    return report(wh, job_id, principal=principal)


def _chunk(wh: Warehouse, job: Mapping[str, Any], act: BulkAct, principal: Principal) -> int:
    def work(cursor: Any) -> tuple[int, tuple[dict[str, Any], bytes] | None]:
        items = sql.rows(cursor, "bulk_left", job_id=job["job_id"], limit=CHUNK)
        if not items:
            return 0, None
        acting = Acting(wh, cursor, principal, proposer=job["actor"])
        rows = {row["alert_id"]: row for row in rows_of(cursor, [item["alert_id"] for item in items], principal)}
        prepare(acting, act, list(rows))
        results = []
        for item in items:
            reason = do_item(acting, rows.get(item["alert_id"]), item, act, job)
            results.append((item["position"], reason))
        now = utc_now()
        columns = {
            "job_id": pa.array([job["job_id"]] * len(results)),
            "position": pa.array([position for position, _ in results], pa.int64()),
            "outcome": pa.array(["refused" if reason else "done" for _, reason in results]),
            "reason": pa.array([reason for _, reason in results]),
            "acted_at": pa.array([now] * len(results), pa.timestamp("us")),
            "actor": pa.array([principal.identity] * len(results)),
        }
        sql.insert(cursor, "bulk_results", pa.table(columns))
        told = acting.finish("bulk", note=act.note)
        body: dict[str, object] = {
            "done": sum(not reason for _, reason in results),
            "refused": sum(bool(r) for _, r in results),
        }
        body |= {"author": job["actor"], "quarantine": acting.quarantine_id}
        audit.append(cursor, principal.identity, "bulk_worked", job["job_id"], body)
        return len(items), told

    with wh.publishing:
        worked, told = wh.run_transaction(work, urgent=True)
        if told is not None:
            publish.release(wh, *told)
    return worked


def undo_of(wh: Warehouse, job_id: str, *, principal: Principal) -> BulkPreview:
    """Preview of taking a whole job back: the alerts on which it was done."""
    done = [row["alert_id"] for row in results(wh, job_id, principal=principal) if row["outcome"] == "done"]
    if not done:
        raise RefusedError(Refusal.NOTHING_TO_UNDO, "the job did nothing yet", where=job_id)
    found = preview(wh, BulkAct("undo"), principal=principal, alerts=done)
    return BulkPreview(found.items, 0, found.outcomes, found.contexts, found.tenants, found.corpora, {"undoes": job_id})
