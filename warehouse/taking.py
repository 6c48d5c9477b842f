"""One segment into the warehouse, whichever way it came: stored once, answered always, or refused by name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import duckdb

from ragsieve_core.errors import RagsieveError
from warehouse import audit, corpora, sql
from warehouse.database import Warehouse
from warehouse.embeddings import add_embeddings
from warehouse.errors import RefusedError, StorageError
from warehouse.events import record_events
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.refusals import Refusal
from warehouse.scans import find_scan, record_scan
from warehouse.segment_kinds import read_answers, read_documents, read_embeddings, read_events, read_scan
from warehouse.segments import LIMITS, Segment, SegmentLimits, decode, segment_id
from warehouse.snapshot_files import write_snapshot_files
from warehouse.tickets import Ticket


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a segment.

    Attributes
    ----------
    state : taken or refused.
    result : counts and ids of what it brought (fields of the result of the call of its kind); empty where refused.
    reason : name of the refusal, empty where taken.
    message : the error text, empty where taken.
    """

    segment_id: str
    kind: str
    state: str
    result: Mapping[str, Any]
    reason: str = ""
    message: str = ""


def inbox_principal(uid: int) -> Principal:
    """Who a segment in the inbox folder acts for: a program of the owner's own user, all tenants."""
    return Principal(identity=f"inbox:uid-{uid}", role="reviewer", tenants=None, mode="inbox")


def take_bytes(
    wh: Warehouse,
    data: bytes,
    *,
    principal: Principal,
    route: str,
    limits: SegmentLimits = LIMITS,
    kinds: tuple[str, ...] | None = None,
) -> Receipt:
    """Take a segment in, or refuse it; the same bytes again give the same receipt and change nothing.

    Parameters
    ----------
    kinds : what this route may bring; None for everything the inbox takes.

    Raises
    ------
    StorageError
        the disk: nothing was decided about the segment, it can be tried again.
    """
    name = segment_id(data)
    known = _taken(wh, name)
    if known is not None:
        return _to_the_bringer(known, principal, kinds)
    kind = "unknown"
    try:
        segment = decode(data, limits)
        kind = segment.kind
        if kinds is not None and kind not in kinds:
            raise RefusedError(Refusal.UNKNOWN_KIND, f"{kind} may not come this way", expected=", ".join(kinds))
        result = _apply(wh, segment, Ticket(name, kind, route, len(data)), principal)
    except StorageError:
        raise
    except RefusedError as error:
        return _refuse(wh, Ticket(name, kind, route, len(data)), principal, str(error.reason), str(error))
    except RagsieveError as error:
        return _refuse(wh, Ticket(name, kind, route, len(data)), principal, Refusal.BAD_CONTENT, str(error))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, duckdb.Error) as error:
        message = f"the segment does not fit its kind ({type(error).__name__}: {str(error)[:200]})"
        return _refuse(wh, Ticket(name, kind, route, len(data)), principal, Refusal.BAD_SEGMENT, message)
    # As stored where it was stored: whoever asks again is told the same.
    stored = _taken(wh, name)
    return stored[0] if stored else Receipt(name, kind, "taken", result)


def _taken(wh: Warehouse, name: str) -> tuple[Receipt, str] | None:
    """Receipt of a segment that was taken in, and who brought it."""
    with wh.reading() as cursor:
        known = sql.first(
            cursor, "SELECT kind, receipt, actor FROM inbox_segments WHERE segment_id = ? AND state = 'taken'", [name]
        )
    return (Receipt(name, str(known[0]), "taken", json.loads(known[1])), str(known[2])) if known else None


def _to_the_bringer(known: tuple[Receipt, str], principal: Principal, kinds: tuple[str, ...] | None) -> Receipt:
    """The stored receipt for whoever brought the segment; for another tenant's token nothing was stored.

    Refused without a mark: the mark of this id belongs to the one who brought it.
    """
    receipt, actor = known
    if kinds is not None and receipt.kind not in kinds:
        message = f"{receipt.kind} may not come this way"
        return Receipt(receipt.segment_id, receipt.kind, "refused", {}, Refusal.UNKNOWN_KIND, message)
    if principal.tenants is not None and principal.identity != actor:
        message = "these very bytes were taken in for somebody else; nothing was stored for this token: write it anew"
        return Receipt(receipt.segment_id, receipt.kind, "refused", {}, Refusal.NOT_YOURS, message)
    return receipt


def _apply(wh: Warehouse, segment: Segment, ticket: Ticket, principal: Principal) -> dict[str, Any]:
    """Store what a segment brings, with its mark; the result of a question, which leaves no mark."""
    if segment.kind == "documents":
        batch, encoder = read_documents(segment)
        fields = segment.fields
        ingest(
            wh,
            str(fields["corpus"]),
            [batch],
            principal=principal,
            encoder=encoder,
            batch_label=str(fields["batch_label"]),
            full=bool(fields["full"]),
            input_name=str(fields["input_name"]),
            ticket=ticket,
        )
    elif segment.kind == "embeddings":
        snapshot, spec, versions, matrix = read_embeddings(segment)
        add_embeddings(wh, snapshot, spec, matrix, principal=principal, version_ids=versions, ticket=ticket)
    elif segment.kind == "scan":
        record_scan(wh, read_scan(segment), principal=principal, ticket=ticket)
    elif segment.kind == "events":
        record_events(wh, read_events(segment), principal=principal, ticket=ticket, answers=read_answers(segment))
    else:
        return _answer(wh, segment, principal)
    return {}


def _answer(wh: Warehouse, segment: Segment, principal: Principal) -> dict[str, Any]:
    """A question changes nothing, so that it leaves no row; its receipt names the files."""
    fields = segment.fields
    if fields["want"] == "scan":
        names = ("snapshot", "detector", "config_key", "encoder", "code_version")
        known = find_scan(wh, principal=principal, **{name: fields[name] for name in names})
        told = ("scan_id", "documents", "flagged", "seconds", "state")
        return {"scan": None if known is None else {name: known[name] for name in told}}
    if fields["want"] != "snapshot":
        raise RefusedError(
            Refusal.UNKNOWN_KIND, f"no answer to {str(fields['want'])[:40]!r}", expected="snapshot or scan"
        )
    name = str(fields["snapshot"] or "")
    if not name:
        found = corpora.get_corpus(wh, str(fields["corpus"]), principal=principal).snapshot_id
        if found is None:
            raise RefusedError(Refusal.BAD_CONTENT, "the corpus is empty", do="ragsieve ingest")
        name = found
    folder = write_snapshot_files(wh, name, principal=principal, encoder=fields["encoder"])
    return {"snapshot": name, "folder": wh.side.relative(folder)}


def _refuse(wh: Warehouse, ticket: Ticket, principal: Principal, reason: str, message: str) -> Receipt:
    receipt = Receipt(ticket.segment_id, ticket.kind, "refused", {}, str(reason), message[:2000])

    def work(cursor: duckdb.DuckDBPyConnection) -> None:
        ticket.stamp(cursor, principal.identity, "refused", {"reason": receipt.reason, "message": receipt.message})
        audit.append(
            cursor,
            principal.identity,
            "segment_refused",
            ticket.segment_id,
            {"reason": receipt.reason, "kind": ticket.kind[:40], "route": ticket.route, "bytes": ticket.size},
        )

    wh.run_transaction(work)
    return receipt
