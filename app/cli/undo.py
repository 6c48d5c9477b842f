"""`ragsieve undo`: take the last verdict or reopening of an alert back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from app.cli.options import expected_version_option, json_option, warehouse_option
from app.cli.output import result


@click.command("undo")
@click.argument("alert")
@expected_version_option
@warehouse_option
@json_option
def undo(alert: str, expected_version: int, warehouse: Path, as_json: bool) -> int:
    """Take the last verdict or reopening of ALERT back.

    What a quarantine in force held is free again at once in single-user mode; else it waits for a second person.
    """
    from app.services.owning import owning
    from warehouse import undoing

    with owning(warehouse, command="undo", action="undo a decision") as (wh, who):
        done = undoing.undo(wh, alert, expected_version, principal=who)
    result(asdict(done), as_json=as_json)
    return 0
