"""`ragsieve gate-log`: what gates did, and how far documents reached."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from app.cli.options import json_option, warehouse_option
from app.cli.output import remark, result, table
from ragsieve_core.errors import InputError


@click.group("gate-log")
def gate_log() -> None:
    """Events of gates: list them, write them to a file, see how far documents reached."""


@gate_log.command("list")
@click.option("--corpus", default="", help="Of one corpus.")
@click.option("--state", default="", help="ok, tail_contaminated, tail_too_short, partly_unscored, unscored, empty …")
@click.option("--mode", type=click.Choice(("", "enforce", "shadow")), default="", help="Of one mode.")
@click.option("--since", default=None, metavar="TIME", help="From this UTC time on, as 2026-01-31T12:00.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@warehouse_option
@json_option
def list_events(
    corpus: str, state: str, mode: str, since: str | None, limit: int, warehouse: Path, as_json: bool
) -> int:
    """Gated queries, latest first."""
    from app.services.owner_jobs import run_job

    given = {"corpus": corpus, "state": state, "mode": mode, "since": _time(since), "limit": limit}
    found = run_job(warehouse, "gate_events", given, command="gate-log list", say=remark)
    if as_json:
        result(found, as_json=True)
        return 0
    columns = (
        "event_id",
        "occurred_at",
        "tenant",
        "mode",
        "state",
        "ranked",
        "removed",
        "answers",
        "latency_ms",
        "query_text",
    )
    table(found["events"], columns, empty="no gated query yet: ragsieve serve --gate --corpus NAME")
    return 0


@gate_log.command("reach")
@click.option("--corpus", required=True, help="Corpus.")
@click.option("--document", default="", help="One document.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@warehouse_option
@json_option
def reach(corpus: str, document: str, limit: int, warehouse: Path, as_json: bool) -> int:
    """How often documents were retrieved, stood in a context, and were cited; widest reach first."""
    from app.services.owner_jobs import run_job

    given = {"corpus": corpus, "document": document, "limit": limit}
    found = run_job(warehouse, "document_reach", given, command="gate-log reach", say=remark)
    if as_json:
        result(found, as_json=True)
        return 0
    table(found["documents"], ("document_id", "retrieved", "in_context", "cited"), empty="nothing was retrieved yet")
    return 0


@gate_log.command("export")
@click.option("--corpus", default="", help="Of one corpus.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="JSON Lines file, one gated query each.",
)
@warehouse_option
@json_option
def export(corpus: str, out: Path, warehouse: Path, as_json: bool) -> int:
    """Every gated query with its counts; rankings and candidates: `ragsieve export events` and `export candidates`."""
    import json

    from app.services.own_files import refuse_own_file
    from app.services.owner_jobs import run_job

    target = refuse_own_file(out, warehouse, where="--out")
    given = {"corpus": corpus, "state": "", "mode": "", "since": None, "limit": 1_000_000}
    found = run_job(warehouse, "gate_events", given, command="gate-log export", say=remark)
    made = target.with_name(target.name + ".part")
    with made.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in found["events"])
    made.replace(target)
    result({"file": str(target), "events": len(found["events"])}, as_json=as_json)
    return 0


def _time(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"no time: {text!r}", where="--since", expected="as 2026-01-31T12:00, UTC") from error
    return moment.replace(tzinfo=None).isoformat()
