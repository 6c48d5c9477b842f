"""`ragsieve score-corpus`: RSG on a file of documents, no warehouse."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from app.cli.options import json_option, out_option, profile_option, rule_option
from app.cli.output import progress, remark, result


@click.command("score-corpus")
@click.argument("documents", type=click.Path(path_type=Path))
@click.option("--embeddings", type=click.Path(path_type=Path), help="Matrix (.npy), one row per document, same order.")
@out_option
@rule_option("paper")
@profile_option
@json_option
def score_corpus(documents: Path, embeddings: Path | None, out: Path, rule: str, as_json: bool, **models: Any) -> None:
    """RSG for every document in DOCUMENTS (JSON Lines: id, text, optional title and source).

    Without --embeddings the documents are encoded with the profile's retriever.
    """
    from app.services.models import open_models
    from ragsieve_core.formats.documents import read_documents
    from ragsieve_core.formats.embeddings import read_embeddings
    from ragsieve_core.formats.jsonl_writer import JsonlWriter
    from ragsieve_core.rsg import rsg_preset
    from ragsieve_core.rsg import score_corpus as rsg_corpus
    from ragsieve_core.rsg.record import corpus_records

    config = rsg_preset(rule)
    rows = read_documents(documents)
    texts = [row.full_text for row in rows]
    if embeddings is None:
        retriever = open_models(**models).retriever
        with progress("encoding documents") as step:
            matrix = retriever.encode(texts, kind="passage", progress=step)
    else:
        stored = read_embeddings(embeddings, rows=len(rows))
        if stored.note:
            remark(f"{embeddings.name}: {stored.note}")
        matrix = stored.matrix
    start = time.perf_counter()
    with progress("searching neighbours") as step:
        evidence = rsg_corpus(
            [row.id for row in rows],
            texts,
            matrix,
            config,
            sources=[row.source or None for row in rows],
            progress=step,
        )
    seconds = time.perf_counter() - start
    with JsonlWriter(out) as writer:
        for record in corpus_records(evidence):
            writer.write(record)
    counts = {"documents": len(rows), "flagged": int(evidence.flagged.sum())}
    result({**counts, "rule": rule, "seconds": seconds, "out": str(out)}, as_json=as_json)
