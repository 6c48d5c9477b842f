"""What a scan did, in lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from app.components.labels import plain_label

if TYPE_CHECKING:
    from app.services.scanning import ScanOutcome

SHOWN = 5
"""Documents named of each kind of change; the rest is counted, and all are in --json and the warehouse."""

_KINDS = (("new_alert", "new alert"), ("alert_gone", "alert gone"), ("moved", "moved"))


def scan_lines(done: ScanOutcome) -> Iterator[str]:
    """Remarks about one scan: state, how it searched, what changed and why. Ids come from documents and are cleaned."""
    if done.already:
        yield "this scan was stored already: same snapshot, rule, encoder and version"
    if done.state == "topology_silent":
        yield "integrity flags used up the whole alert budget: topology raised nothing (see README, limits)"
    if done.search:
        yield search_line(done.search)
        if "texts_read" in done.search:
            yield reading_line(done.search)
    if done.copies:
        yield f"copies: {done.copies:,} documents of copy floods in the queue, {done.new_copies:,} of them new"
    if done.changes:
        yield from change_lines(done.changes)


def search_line(search: Mapping[str, Any]) -> str:
    """How the neighbours were found."""
    line = f"neighbours: {search['mode']}, {search['searched']:,} of {search['documents']:,} documents searched"
    if search["reason"]:
        line += f" ({search['reason']})"
    if search["precision"] == "bf16":
        line += f", {search['redone_share']:.2%} of them again in full precision"
    return line


def reading_line(search: Mapping[str, Any]) -> str:
    """What was read from the texts; the rest is what an earlier scan read."""
    line = f"texts: {search['texts_read']:,} different ones read for {search['documents']:,} documents"
    if search["texts_reason"]:
        return f"{line} ({search['texts_reason']})"
    return f"{line}, the rest kept from the last scan"


def change_lines(changes: Mapping[str, Any]) -> Iterator[str]:
    """What changed since the previous scan of the same kind."""
    if not changes.get("documents"):
        return
    if changes["previous"] is None:
        yield "first scan of this corpus by this rule and encoder: nothing to compare it with"
        return
    yield (
        f"since {changes['previous']}: {changes['new_alerts']:,} new alerts, {changes['alerts_gone']:,} gone, "
        f"{changes['moved']:,} neighbourhoods moved; documents: {changes['added']:,} added, "
        f"{changes['removed']:,} removed, {changes['changed']:,} changed"
    )
    for kind, title in _KINDS:
        rows = [row for row in changes["rows"] if row["kind"] == kind]
        for row in rows[:SHOWN]:
            yield f"  {title} {plain_label(row['document_id'])}: {_reason(row)}"


def _reason(row: Mapping[str, Any]) -> str:
    text = str(row["reason"]).replace("_", " ")
    parts = [f"{word} {_names(row[key])}" for key, word in (("joined", "joined"), ("left_out", "left")) if row[key]]
    if row["kind"] == "moved" and row["density"] is not None and row["density_before"] is not None:
        parts.append(f"density {row['density_before']:.3f} to {row['density']:.3f}")
    return f"{text} ({'; '.join(parts)})" if parts else text


def _names(ids: Sequence[str]) -> str:
    named = ", ".join(plain_label(one, 40) for one in ids[:SHOWN])
    return named + (f" and {len(ids) - SHOWN:,} more" if len(ids) > SHOWN else "")


def scan_values(corpus: str, rule: str, done: ScanOutcome, *, as_json: bool) -> dict[str, Any]:
    """The outcome as the result of a command; nested values in JSON alone."""
    values = {"corpus": corpus, "rule": rule, **asdict(done)}
    if as_json:
        return values
    return {name: value for name, value in values.items() if name not in ("search", "changes")}
