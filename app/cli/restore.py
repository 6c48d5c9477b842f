"""`ragsieve restore`: a warehouse from a backup."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli.options import json_option
from app.cli.output import remark, result


@click.command("restore")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@json_option
def restore_command(folder: Path, file: Path, as_json: bool) -> int:
    """Make a warehouse at FILE from the backup in FOLDER, after checking every file of it against its hash.

    Nothing that exists is overwritten. Gates that remember a higher publication number than the backup's refuse it
    until the owner has published again.
    """
    from warehouse.backup import restore

    made = restore(folder, file)
    remark(f"restored; look at it with: ragsieve serve --warehouse {file}")
    result({"warehouse": str(made), "bytes": made.stat().st_size}, as_json=as_json)
    return 0
