"""`ragsieve backup`: a copy of everything, while others work."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli.options import json_option, warehouse_option
from app.cli.output import remark, result


@click.command("backup")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@warehouse_option
@json_option
def backup_command(folder: Path, warehouse: Path, as_json: bool) -> int:
    """Copy the warehouse and its embedding files into FOLDER, which is new or empty.

    Works while the dashboard runs. Never copy the live file with `cp`: that lets a second writer in.
    """
    from app.services.owner_jobs import run_job

    found = run_job(warehouse, "backup", {"folder": str(folder.absolute())}, command="backup", say=remark)
    result(found, as_json=as_json)
    return 0
