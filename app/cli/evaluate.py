"""`ragsieve evaluate`: cells over dataset, retriever, attack and detector."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from app.cli.options import json_option, warehouse_option
from app.cli.output import remark, result, table
from ragsieve_core.errors import InputError

VIEWS = ("cells", "differences", "ablation")
SHOWN = {
    "cells": ("dataset", "retriever", "attack", "detector", "population", "n", "positives", "auroc", "detection_at_5%",
              "caught", "clean_removed", ""),
    "differences": ("dataset", "retriever", "attack", "population", "first", "second", "n", "difference", "p_holm"),
    "ablation": ("dataset", "retriever", "attack", "detector", "population", "score", "auroc", "detection_at_5%"),
}  # fmt: skip


@click.command()
@click.option("--corpus", default="", help="Only this dataset.")
@click.option("--retriever", default="", help="Only this encoder, by key or name.")
@click.option("--attack", default="", help="Only this attack; `all` for all together.")
@click.option("--detector", default="", help="Only this detector, for instance rsg/paper.")
@click.option(
    "--population", default="", type=click.Choice(("", "injected", "retrieved")), help="Only this population."
)
@click.option("--view", type=click.Choice(VIEWS), default="cells", show_default=True)
@click.option("--resamples", type=click.IntRange(1, 100_000), default=1000, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), help="Write all columns to a CSV file.")
@click.option("--parquet", type=click.Path(path_type=Path), help="Write all columns to a Parquet file.")
@warehouse_option
@json_option
def evaluate(
    corpus: str,
    retriever: str,
    attack: str,
    detector: str,
    population: str,
    view: str,
    resamples: int,
    seed: int,
    csv_file: Path | None,
    parquet: Path | None,
    warehouse: Path,
    as_json: bool,
) -> int:
    """Measure stored scores against labels: AUROC, detection at a clean-removal budget, with n and intervals.

    injected: all planted documents; retrieved: the first five of each question. A cell below 20 planted documents is
    marked `few`. Intervals (95 %) are conditional on the corpus: rates by Wilson with a cluster design effect, AUROC by
    a cluster bootstrap; the unit is the question for RSQ, the target or source for RSG. Every row of the files and of
    --json carries the command that makes it.
    """
    from app.services.own_files import refuse_own_file
    from app.services.owner_jobs import run_job
    from app.services.owning import existing

    database = existing(warehouse)
    targets = {
        kind: refuse_own_file(file, database, where=f"--{kind}")
        for kind, file in (("csv", csv_file), ("parquet", parquet))
        if file is not None
    }
    wanted = {
        "corpus": corpus, "retriever": retriever, "attack": attack, "detector": detector, "population": population
    }  # fmt: skip
    given = {**wanted, "view": view, "resamples": resamples, "seed": seed, "warehouse": str(warehouse)}
    rows: list[dict[str, Any]] = run_job(warehouse, "evaluate", given, command="evaluate", say=remark)["rows"]
    if not rows and any(wanted.values()):
        raise InputError(
            "no cell of this slice",
            where="evaluate",
            expected="labels and scores of the same corpus, and names as `ragsieve evaluate` lists them",
        )
    for kind, target in targets.items():
        _write(rows, target, kind, f"evaluate {view}")
    if as_json:
        result({view: rows, "count": len(rows)}, as_json=True)
        return 0
    table([_short(row) for row in rows], SHOWN[view], empty="nothing to measure: take labels in with `ragsieve label`")
    return 0


def _write(rows: list[dict[str, Any]], target: Path, kind: str, what: str) -> None:
    import os

    import pyarrow as pa

    from app.services.export_files import write_table

    made = target.with_name(f".{target.name}.{os.getpid()}.part")
    with made.open("wb") as stream:
        write_table(pa.Table.from_pylist(rows), stream, "csv" if kind == "csv" else "parquet", {"export": what})
    os.replace(made, target)


def _short(row: dict[str, Any]) -> dict[str, Any]:
    """Values with their intervals in one cell each, for a terminal."""

    def spread(name: str, low: str, high: str) -> str:
        value = row.get(name)
        return "-" if value is None else f"{value:.3f} [{row[low]:.2f}, {row[high]:.2f}]"

    shown: dict[str, Any] = {name: str(value) for name, value in row.items() if isinstance(value, str | int)}
    shown["retriever"] = shown.get("retriever_name", "")
    for name in ("auroc", "detection_at_0.05", "caught", "clean_removed"):
        shown[name] = spread(name, f"{name}_low", f"{name}_high")
    shown["detection_at_5%"] = shown["detection_at_0.05"]
    if "difference" in row:
        shown |= {"difference": spread("difference", "low", "high"), "p_holm": f"{row['p_holm']:.4f}"}
    return shown | {"": "few" if row.get("few_positives") else ""}
