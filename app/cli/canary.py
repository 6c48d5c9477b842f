"""`ragsieve canary`: ask the stored questions again that had reached what the quarantine in force changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from app.cli.options import json_option, profile_option, warehouse_option
from app.cli.output import remark, result


@click.command("canary")
@click.option("--stored", is_flag=True, help="Over the stored rankings, without a model.")
@profile_option
@warehouse_option
@json_option
def canary(stored: bool, warehouse: Path, as_json: bool, **models: Any) -> int:
    """Check that what was quarantined is out of reach, and that what was released is back; exit code 1 if it is not."""
    from app.services.canary import verify_version
    from app.services.owning import owning
    from ragsieve_core.errors import InputError
    from warehouse.canary import canary_results
    from warehouse.quarantine import current_version

    model = None
    if not stored:
        from app.services.models import open_models

        model = open_models(**models).retriever
    with owning(warehouse, command="canary", action="replay a quarantine") as (wh, who):
        version = current_version(wh, principal=who)
        if version is None:
            raise InputError("no quarantine is in force", do="ragsieve quarantine propose ALERT…")
        report = verify_version(wh, version.quarantine_id, principal=who, retriever=model)
        for row in canary_results(wh, report.run_id, principal=who):
            if row["outcome"] in ("still_present", "unreplayed"):
                remark(f"{row['outcome']}: {row['document_id']!r} in query {row['query_id']!r} {row['detail']}")
    values = {"run": report.run_id, "quarantine": report.quarantine_id, "queries": report.queries, **report.outcomes}
    result(values, as_json=as_json)
    return 0 if report.sound else 1
