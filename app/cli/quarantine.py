"""`ragsieve quarantine`: versions of what leaves every ranking, and holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from app.cli.options import json_option, note_option, warehouse_option, yes_option
from app.cli.output import confirm, remark, result, table
from ragsieve_core.errors import InputError

if TYPE_CHECKING:
    from warehouse.database import Warehouse
    from warehouse.principal import Principal
    from warehouse.quarantine import QuarantineVersion

REASONS = ("true_positive", "benign", "duplicate", "policy_exception", "other")
F = TypeVar("F", bound=Callable[..., Any])


@click.group("quarantine")
def quarantine() -> None:
    """Quarantine versions: immutable sets of documents that leave every ranking. Nothing is ever deleted.

    `propose`, `release` and `rollback` make a proposal, which changes nothing; `approve` puts it in force, at once and
    for gates in other processes too. With `--approve` they do both. While the dashboard runs, all that changes
    something is refused (exit code 3): decisions are taken on its screens. `list` and `diff` always work.
    """


def _acting(command: F) -> F:
    for option in (json_option, warehouse_option, note_option):
        command = option(command)
    return command


def _proposing(command: F) -> F:
    """Options of the three commands that make a proposal."""
    approve = click.option("--approve", is_flag=True, help="Put it in force at once; asks first.")
    return _acting(approve(yes_option(command)))


@quarantine.command("list")
@warehouse_option
@json_option
def list_all(warehouse: Path, as_json: bool) -> int:
    """Every version, latest first, and the holds that stand now."""
    from app.services.owner_jobs import run_job

    found = run_job(warehouse, "quarantine", {}, command="quarantine list", say=remark)
    if as_json:
        result(found, as_json=True)
        return 0
    columns = ("quarantine_id", "state", "members", "author", "approved_by", "restores_id", "note")
    table(found["versions"], columns, empty="no version yet: ragsieve quarantine propose ALERT…")
    if found["holds"]:
        click.echo("\nholds")
        held = ("hold_id", "corpus", "document_id", "expires_at", "actor", "reason", "alert_id")
        table(found["holds"], held, empty="")
    return 0


@quarantine.command("diff")
@click.argument("first")
@click.argument("second", required=False)
@warehouse_option
@json_option
def diff(first: str, second: str | None, warehouse: Path, as_json: bool) -> int:
    """What version SECOND holds more and less than FIRST; with one version, what it changes of the one in force."""
    from app.services.owner_jobs import run_job

    given = {"first": first if second else None, "second": second or first}
    found = run_job(warehouse, "quarantine_diff", given, command="quarantine diff", say=remark)
    if as_json:
        result(found, as_json=True)
        return 0
    _show_diff(found["added"], found["removed"])
    return 0


def _show_diff(added: Any, removed: Any) -> None:
    rows = [{"change": "+", "corpus": c, "document": d} for c, d in added]
    rows += [{"change": "-", "corpus": c, "document": d} for c, d in removed]
    table(rows, ("change", "corpus", "document"), empty="the same documents")


@quarantine.command("propose")
@click.argument("alerts", nargs=-1)
@click.option("--decided", is_flag=True, help="All alerts whose verdict is quarantine.")
@_proposing
def propose(
    alerts: tuple[str, ...], decided: bool, approve: bool, yes: bool, note: str, warehouse: Path, as_json: bool
) -> int:
    """Propose the version in force plus the documents of ALERTS (ids)."""
    from app.services.owning import owning
    from warehouse import quarantine as versions

    if bool(alerts) == decided:
        raise InputError("which alerts?", expected="ids of alerts, or --decided")
    with owning(warehouse, command="quarantine propose", action="propose a quarantine") as (wh, who):
        add = _decided(wh, who) if decided else alerts
        made = versions.propose(wh, principal=who, add=add, note=note)
        _finish(wh, who, made, approve=approve, yes=yes, note=note, as_json=as_json)
    return 0


def _decided(wh: Warehouse, who: Principal) -> list[str]:
    from warehouse.alerts import QueueFilter, queue_page

    wanted = QueueFilter(statuses=("decided",), verdicts=("quarantine",))
    found: list[str] = []
    while True:
        page = queue_page(wh, principal=who, filters=wanted, sort="document_id", limit=500, offset=len(found))
        found += [str(row["alert_id"]) for row in page.rows]
        if len(found) >= page.total or not page.rows:
            break
    if not found:
        raise InputError("no alert has the verdict quarantine", do="ragsieve decide ALERT --verdict quarantine …")
    return found


@quarantine.command("release")
@click.argument("documents", nargs=-1, required=True)
@click.option("--corpus", required=True, help="Corpus of the documents.")
@click.option("--reason", type=click.Choice(REASONS), default="benign", show_default=True)
@click.option("--days", type=click.FloatRange(0, 3650, min_open=True), help="Default: the review policy's.")
@_proposing
def release(
    documents: tuple[str, ...],
    corpus: str,
    reason: str,
    days: float | None,
    approve: bool,
    yes: bool,
    note: str,
    warehouse: Path,
    as_json: bool,
) -> int:
    """Propose the version in force without DOCUMENTS (ids).

    For some days their text does not alert again under the same rule; changed text does.
    """
    from app.services.owning import owning
    from warehouse import quarantine as versions

    with owning(warehouse, command="quarantine release", action="release a document") as (wh, who):
        given = {"release_reason": reason, "release_days": days}
        made = versions.propose(wh, principal=who, remove=[(corpus, n) for n in documents], note=note, **given)  # type: ignore[arg-type]
        _finish(wh, who, made, approve=approve, yes=yes, note=note, as_json=as_json)
    return 0


@quarantine.command("rollback")
@click.argument("version")
@_proposing
def rollback(version: str, approve: bool, yes: bool, note: str, warehouse: Path, as_json: bool) -> int:
    """Propose a new version with the documents of an earlier VERSION."""
    from app.services.owning import owning
    from warehouse import quarantine as versions

    with owning(warehouse, command="quarantine rollback", action="roll a quarantine back") as (wh, who):
        made = versions.propose_rollback(wh, version, principal=who, note=note)
        _finish(wh, who, made, approve=approve, yes=yes, note=note, as_json=as_json)
    return 0


@quarantine.command("approve")
@click.argument("version")
@yes_option
@_acting
def approve_version(version: str, yes: bool, note: str, warehouse: Path, as_json: bool) -> int:
    """Put a proposed VERSION in force; shows what it changes and asks first."""
    from app.services.owning import owning
    from warehouse import quarantine as versions

    with owning(warehouse, command="quarantine approve", action="approve a quarantine") as (wh, who):
        found = versions.get_version(wh, version, principal=who)
        _finish(wh, who, found, approve=True, yes=yes, note=note, as_json=as_json)
    return 0


@quarantine.command("reject")
@click.argument("version")
@_acting
def reject(version: str, note: str, warehouse: Path, as_json: bool) -> int:
    """Turn a proposed VERSION down, or withdraw your own."""
    from app.services.owning import owning
    from warehouse import quarantine as versions

    with owning(warehouse, command="quarantine reject", action="reject a quarantine") as (wh, who):
        found = versions.reject_version(wh, version, principal=who, note=note)
    result(asdict(found), as_json=as_json)
    return 0


def _finish(
    wh: Warehouse, who: Principal, made: QuarantineVersion, *, approve: bool, yes: bool, note: str, as_json: bool
) -> None:
    """Approve if wanted, then say what stands."""
    from warehouse.quarantine import current_version, diff_versions, publish_version

    current = current_version(wh, principal=who)
    change = diff_versions(wh, current.quarantine_id if current else None, made.quarantine_id, principal=who)
    if approve:
        if not yes:
            _show_diff(change.added, change.removed)
        what = f"{len(change.added):,} documents in, {len(change.removed):,} out"
        confirm(f"put {made.quarantine_id} in force now ({what})? it applies to every answer at once", yes=yes)
        made = publish_version(wh, made.quarantine_id, principal=who, note=note)
    else:
        remark(f"proposed; it changes nothing until: ragsieve quarantine approve {made.quarantine_id}")
    counts = {"added": len(change.added), "removed": len(change.removed)}
    result(asdict(made) | counts, as_json=as_json)


@quarantine.command("hold")
@click.argument("alert")
@click.option("--hours", type=click.FloatRange(0, 720, min_open=True), default=24.0, show_default=True)
@click.option("--reason", required=True, help="A few words.")
@warehouse_option
@json_option
def hold(alert: str, hours: float, reason: str, warehouse: Path, as_json: bool) -> int:
    """Keep the document of ALERT out of retrieval until it is decided or the hours are over."""
    from app.services.owning import owning
    from warehouse import holds

    with owning(warehouse, command="quarantine hold", action="hold a document") as (wh, who):
        made = holds.hold(wh, alert, principal=who, hours=hours, reason=reason)
    values = {"hold": made.hold_id, "document": made.document_id, "expires_at": f"{made.expires_at:%Y-%m-%dT%H:%M:%SZ}"}
    result(values, as_json=as_json)
    return 0


@quarantine.command("end-hold")
@click.argument("hold_id")
@warehouse_option
@json_option
def end_hold(hold_id: str, warehouse: Path, as_json: bool) -> int:
    """End a hold before its time."""
    from app.services.owning import owning
    from warehouse import holds

    with owning(warehouse, command="quarantine end-hold", action="end a hold") as (wh, who):
        holds.end_hold(wh, hold_id, principal=who)
    result({"ended": hold_id}, as_json=as_json)
    return 0
