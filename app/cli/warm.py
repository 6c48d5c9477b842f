"""`ragsieve warm`: features of a corpus before anybody asks."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from app.cli.options import json_option, profile_option, wait_option, warehouse_option
from app.cli.output import progress, remark, result

TOLD_S = 10.0
"""Seconds between two lines about how far it is."""


@click.command()
@click.option("--corpus", required=True, help="Corpus whose latest snapshot is warmed.")
@click.option("--only-exposed", is_flag=True, help="Only documents that past rankings held among their first 20.")
@click.option(
    "--limit-bytes",
    type=click.IntRange(min=1),
    default=None,
    help="Bytes that the folder may hold; warming stops there. Default: RAGSIEVE_FEATURES_LIMIT, else 20 GiB.",
)
@click.option(
    "--features",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Folder to keep features in; also RAGSIEVE_FEATURES. Default: beside the warehouse.",
)
@profile_option
@warehouse_option
@wait_option
@json_option
def warm(
    corpus: str,
    only_exposed: bool,
    limit_bytes: int | None,
    folder: Path | None,
    warehouse: Path,
    wait_s: float,
    as_json: bool,
    **models: Any,
) -> None:
    """Compute the features of a corpus's documents, most exposed first, so that queries need not.

    What is there already is skipped: interrupt it and run it again to go on. The warehouse is free meanwhile.
    """
    from app.services.access import open_access
    from app.services.features import CacheOptions, open_features
    from app.services.models import open_models
    from app.services.warming import plan_warming

    with open_access(warehouse, command="warm", say=remark, wait_s=wait_s) as access:
        plan = plan_warming(access, corpus, only_exposed=only_exposed)
    if plan.exposed is None:
        remark("past rankings are known to the owner of the warehouse only: documents are taken in their stored order")
    features = open_features(
        open_models(**models), warehouse, options=CacheOptions(folder=folder), say=remark, limit=limit_bytes
    )
    values = run(features, plan)
    result({"corpus": corpus, **values}, as_json=as_json)


def run(features: Any, plan: Any) -> dict[str, Any]:
    """Warm a plan, telling how far it is; the counts of the result."""
    from app.services.warming import Warmed, warm

    start = told = time.monotonic()

    with progress("warming documents") as bar:

        def step(state: Warmed) -> None:
            nonlocal told
            bar(state.done, state.documents)
            if time.monotonic() - told >= TOLD_S:
                told = time.monotonic()
                remark(line(state))

        done = warm(features, plan.texts, step)
    if done.limit_reached:
        remark("the byte limit is reached: the rest is computed when it is first asked for")
    return {
        "snapshot": plan.snapshot,
        "documents": done.documents,
        "done": done.done,
        "computed": done.computed,
        "exposed": plan.exposed,
        "bytes": done.bytes,
        "bytes_per_document": done.bytes_per_document,
        "documents_per_second": done.documents_per_second,
        "limit_reached": done.limit_reached,
        "seconds": time.monotonic() - start,
    }


def line(state: Any) -> str:
    """How far it is, in words."""
    left = "time left not known yet" if state.seconds_left is None else f"{duration(state.seconds_left)} left"
    return (
        f"{state.done:,} of {state.documents:,}: {state.documents_per_second:,.1f} documents/s, "
        f"{state.bytes_per_document / 1000:,.0f} kB a document, {left}"
    )


def duration(seconds: float) -> str:
    """Seconds as a person says them."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3600:.1f} h"
