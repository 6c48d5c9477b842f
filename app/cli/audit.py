"""`ragsieve audit`: is the chain of all changes whole, and where does it end?"""

from __future__ import annotations

from pathlib import Path

import click

from app.cli.options import json_option, warehouse_option
from app.cli.output import remark, result
from ragsieve_core.errors import EXIT_REJECTED


@click.group("audit")
def audit() -> None:
    """The audit chain: every change of state is one row, hashed with the row before it.

    A chain cannot show by itself that its end was cut off or that all of it was written anew: keep its head somewhere
    else (`audit head --sink FILE`) and verify against that (`audit verify --against FILE`).
    """


@audit.command("verify")
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Heads kept outside, as `audit head --sink` wrote them; repeatable.",
)
@warehouse_option
@json_option
def verify(against: tuple[Path, ...], warehouse: Path, as_json: bool) -> int:
    """Recompute the whole chain. Exit code 1 if it does not hold; the first bad row is named by its sequence."""
    from app.services.owner_jobs import run_job
    from warehouse.audit import read_heads

    heads = [(head.sequence, head.hash) for file in against for head in read_heads(file)]
    if against and not heads:
        remark("no head in the files given: the end of the chain is not proved")
    found = run_job(warehouse, "audit_verify", {"against": heads}, command="audit verify", say=remark)
    values = {
        "ok": found["ok"],
        "rows": found["rows"],
        "heads_compared": found["heads"],
        "head_sequence": found["head"]["sequence"],
        "head_hash": found["head"]["hash"],
        "broken_at": found["broken_at"],
        "problem": found["problem"],
        "unproved": found["unproved"],
    }
    result(values, as_json=as_json)
    if not found["ok"]:
        remark(f"the audit chain does not hold: {found['problem']}")
        return EXIT_REJECTED
    remark(f"the chain of {found['rows']:,} rows holds; not proved: {found['unproved']}")
    return 0


@audit.command("head")
@click.option("--sink", type=click.Path(path_type=Path), help="File to append the head to, outside the warehouse.")
@warehouse_option
@json_option
def head(sink: Path | None, warehouse: Path, as_json: bool) -> int:
    """Show the end of the chain, and append it to a file that the warehouse's owner cannot rewrite."""
    from app.services.owner_jobs import run_job

    target = str(sink.absolute()) if sink else ""
    found = run_job(warehouse, "audit_head", {"sink": target}, command="audit head", say=remark)
    result({"sequence": found["sequence"], "hash": found["hash"], "sink": target or None}, as_json=as_json)
    return 0


@audit.command("export")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="JSON Lines file to write.")
@click.option("--from", "first", type=click.IntRange(1), default=1, show_default=True, help="First sequence wanted.")
@warehouse_option
@json_option
def export(out: Path, first: int, warehouse: Path, as_json: bool) -> int:
    """Write the chain as JSON Lines, oldest first: enough to verify it elsewhere."""
    from app.services.export_files import hand_over
    from app.services.own_files import refuse_own_file
    from app.services.owner_jobs import run_job
    from app.services.owning import existing

    target = refuse_own_file(out, existing(warehouse), where="--out")
    found = run_job(warehouse, "audit_export", {"first": first}, command="audit export", say=remark)
    hand_over(Path(found["file"]), target)
    result({"rows": found["rows"], "out": str(out)}, as_json=as_json)
    return 0
