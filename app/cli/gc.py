"""`ragsieve gc`: files that nothing refers to."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from app.cli.options import json_option, warehouse_option
from app.cli.output import result


@click.command("gc")
@click.option(
    "--older-hours",
    type=click.FloatRange(0),
    default=1.0,
    show_default=True,
    help="Leave files younger than this: they may belong to work that has not finished.",
)
@warehouse_option
@json_option
def gc_command(older_hours: float, warehouse: Path, as_json: bool) -> int:
    """Remove embedding files that no row refers to, snapshot exports older than a day, temporaries and refused files.

    It asks nothing, because nothing of value goes: no row, no file that a row names, and an export is written again
    when a command next needs it.
    """
    from app.services.owning import owning
    from warehouse.backup import gc

    with owning(warehouse, command="gc", action="collect garbage") as (wh, who):
        done = gc(wh, principal=who, older_s=older_hours * 3600)
    result(asdict(done), as_json=as_json)
    return 0
