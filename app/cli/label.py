"""`ragsieve label`: truth from files, for evaluation only."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli.options import json_option, warehouse_option
from app.cli.output import remark, result
from ragsieve_core.errors import EXIT_REJECTED, InputError


@click.command()
@click.argument("labels", type=click.Path(path_type=Path), required=False)
@click.option("--corpus", required=True, help="Corpus the documents belong to.")
@click.option("--qrels", type=click.Path(path_type=Path), help="Relevance judgements: TSV as in BEIR, or JSON Lines.")
@click.option("--provenance", type=click.Choice(("fixture", "reviewer")), default="fixture", show_default=True)
@click.option("--rest-clean", is_flag=True, help="Label every other document of the latest snapshot as clean.")
@warehouse_option
@json_option
def label(
    labels: Path | None,
    corpus: str,
    qrels: Path | None,
    provenance: str,
    rest_clean: bool,
    warehouse: Path,
    as_json: bool,
) -> int:
    """Store LABELS (JSON Lines) of a corpus, or relevance judgements, or both.

    A row of LABELS: document_id, poison; optionally query_id (the question it was planted for), attack, condition, and
    sampling_probability where the document was drawn at random to be labelled. No detector ever reads them.
    """
    from app.services.labelling import take_labels
    from app.services.owning import owning

    if labels is None and qrels is None:
        raise InputError("nothing to take in", where="label", expected="a file of labels, --qrels FILE, or both")
    if rest_clean and labels is None:
        raise InputError("--rest-clean completes a file of labels", where="--rest-clean", expected="LABELS beside it")
    with owning(warehouse, command="label", action="take labels in") as (wh, who):
        done = take_labels(wh, corpus, labels, qrels, provenance=provenance, rest_clean=rest_clean, principal=who)
    for fault in done.rejected[:10]:
        remark(f"rejected {fault.file}:{fault.line}: {fault.field} {fault.reason}")
    result(
        {
            "corpus": corpus,
            "labels": done.labels,
            "qrels": done.qrels,
            "rejected": len(done.rejected),
            "provenance": provenance,
        },
        as_json=as_json,
    )
    return EXIT_REJECTED if done.rejected else 0
