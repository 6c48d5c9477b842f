"""`ragsieve overview`: the numbers of the screen Overview."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from app.cli.options import json_option, warehouse_option
from app.cli.output import remark, result, table


@click.command("overview")
@warehouse_option
@json_option
def overview(warehouse: Path, as_json: bool) -> int:
    """Open alerts by age, alert rates, decisions, reach, drift of scores, gate and scan health. Read only."""
    from app.services.owner_jobs import run_job

    found = run_job(warehouse, "overview", {}, command="overview", say=remark)
    if as_json:
        result(found, as_json=True)
        return 0
    counts: dict[str, Any] = {name: value for name, value in found["counts"].items() if not isinstance(value, list)}
    reach = {f"waiting_{name}": value for name, value in found["reach"].items()}
    result(counts | found["rates"] | reach, as_json=False)
    for name in ("ages", "decisions", "drift", "gate", "health", "freshness"):
        rows = found[name]
        click.echo(f"\n{name}")
        table(rows, list(rows[0]) if rows else [], empty="none")
    return 0
