"""`ragsieve reopen`: make a decided or released alert undecided again."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from app.cli.options import expected_version_option, json_option, note_option, warehouse_option
from app.cli.output import result


@click.command("reopen")
@click.argument("alert")
@expected_version_option
@note_option
@warehouse_option
@json_option
def reopen(alert: str, expected_version: int, note: str, warehouse: Path, as_json: bool) -> int:
    """Make the decided or released ALERT undecided again.

    Its verdict stays in the history.
    """
    from app.services.owning import owning
    from warehouse import undoing

    with owning(warehouse, command="reopen", action="reopen a decision") as (wh, who):
        done = undoing.reopen(wh, alert, expected_version, principal=who, note=note)
    result(asdict(done), as_json=as_json)
    return 0
