"""`ragsieve scan`: RSG over a snapshot."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from app.cli.options import json_option, profile_option, rule_option, wait_option, warehouse_option
from app.cli.output import progress, remark, result


@click.command()
@click.option("--corpus", required=True, help="Corpus to scan.")
@click.option("--snapshot", default=None, help="Snapshot id; default the latest.")
@click.option("--encoder", default=None, help="Key of stored vectors; default the profile's retriever.")
@rule_option("calibrated")
@profile_option
@warehouse_option
@wait_option
@json_option
def scan(
    corpus: str,
    snapshot: str | None,
    encoder: str | None,
    rule: str,
    warehouse: Path,
    wait_s: float,
    as_json: bool,
    **models: Any,
) -> None:
    """Compare each document's neighbours with its own local floor, and raise alerts.

    Documents without vectors are encoded first. The same scan run twice is stored once.
    """
    from app.services.access import open_access
    from app.services.models import open_models
    from app.services.scanning import scan_corpus

    loaded = open_models(**models)
    with open_access(warehouse, command="scan", say=remark, wait_s=wait_s) as access:
        done = scan_corpus(
            access,
            corpus,
            loaded,
            rule=rule,
            snapshot=snapshot,
            encoder=encoder,
            bar=progress,
        )
    if done.already:
        remark("this scan was stored already: same snapshot, rule, encoder and version")
    if done.state == "topology_silent":
        remark("integrity flags used up the whole alert budget: topology raised nothing (see README, limits)")
    result({"corpus": corpus, "rule": rule, **asdict(done)}, as_json=as_json)
