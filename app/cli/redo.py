"""`ragsieve redo`: do again what was undone last on an alert, if nothing was done since."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from app.cli.options import expected_version_option, json_option, warehouse_option
from app.cli.output import result


@click.command("redo")
@click.argument("alert")
@expected_version_option
@warehouse_option
@json_option
def redo(alert: str, expected_version: int, warehouse: Path, as_json: bool) -> int:
    """Do again what was undone last on ALERT, if nothing was done since.

    A quarantine waits for a second person again where one is needed.
    """
    from app.services.owning import owning
    from warehouse import undoing

    with owning(warehouse, command="redo", action="redo a decision") as (wh, who):
        done = undoing.redo(wh, alert, expected_version, principal=who)
    result(asdict(done), as_json=as_json)
    return 0
