"""`ragsieve compact`: the same rows in a smaller file."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli.options import json_option, warehouse_option
from app.cli.output import result


@click.command("compact")
@warehouse_option
@json_option
def compact_command(warehouse: Path, as_json: bool) -> int:
    """Rewrite the file without the space that deletions and erasures left; needs free space for a second copy.

    The new file takes the old one's place by rename after its tables were counted. No other process may own the
    warehouse.
    """
    from app.services.owning import existing, refused
    from ragsieve_core.errors import BusyError
    from warehouse.backup import compact
    from warehouse.principal import local_principal

    file = existing(warehouse)
    try:
        done = compact(file, principal=local_principal(), command="compact")
    except BusyError as busy:
        raise refused(file, "compact it") from busy
    result({"bytes_before": done.before, "bytes_after": done.after, "freed": done.before - done.after}, as_json=as_json)
    return 0
