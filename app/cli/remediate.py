"""`ragsieve remediate`: what was done at the source of a document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from app.cli.options import json_option, note_option, warehouse_option
from app.cli.output import result

STEPS = ("source_notified", "corrected", "removed_upstream")


@click.command("remediate")
@click.argument("document")
@click.argument("step", type=click.Choice(STEPS))
@click.option("--corpus", required=True)
@click.option("--evidence", multiple=True, help="Link or record; repeatable.")
@note_option
@warehouse_option
@json_option
def remediate(
    document: str, step: Any, corpus: str, evidence: tuple[str, ...], note: str, warehouse: Path, as_json: bool
) -> int:
    """Record STEP at the source of DOCUMENT. It is a track of its own: it changes no verdict and no quarantine."""
    from app.services.owning import owning
    from warehouse.remediation import record_remedy

    with owning(warehouse, command="remediate", action="record a remediation") as (wh, who):
        made = record_remedy(wh, corpus, document, step, principal=who, evidence=evidence, note=note)
    result({"step": made}, as_json=as_json)
    return 0
