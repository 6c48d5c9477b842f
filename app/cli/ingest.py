"""`ragsieve ingest`: documents and their vectors into a corpus."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli.options import json_option, warehouse_option
from app.cli.output import remark, result
from ragsieve_core.errors import EXIT_REJECTED, InputError


@click.command()
@click.argument("paths", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--corpus", required=True, help="Corpus to take them into; made on first use.")
@click.option("--format", "kind", default=None, help="jsonl, csv, tsv, parquet, arrow, text, beir, release, attacks.")
@click.option("--map", "pairs", multiple=True, metavar="FIELD=COLUMN", help="Which column holds a field; repeatable.")
@click.option("--embeddings", type=click.Path(path_type=Path), help="Matrix (.npy), one row per record of the input.")
@click.option("--encoder", default=None, help="Key naming the encoder that made the vectors, every parameter of it.")
@click.option("--batch", default="", help="Label of this batch.")
@click.option("--full", is_flag=True, help="The input is the whole corpus: documents it lacks are marked as gone.")
@warehouse_option
@json_option
def ingest(
    paths: tuple[Path, ...],
    corpus: str,
    kind: str | None,
    pairs: tuple[str, ...],
    embeddings: Path | None,
    encoder: str | None,
    batch: str,
    full: bool,
    warehouse: Path,
    as_json: bool,
) -> int:
    """Take documents from PATHS (files or folders) into a corpus.

    A record that fails a check is rejected alone and listed in a rejects file; the rest goes in (exit code 1). Taking
    the same file in again adds nothing.
    """
    from ragsieve_core.formats.embeddings import read_embeddings
    from ragsieve_core.formats.mapping import ColumnMapping
    from ragsieve_core.formats.reading import read_batches
    from warehouse.database import Warehouse
    from warehouse.ingest import ingest as take_in
    from warehouse.principal import local_principal
    from warehouse.records import EncoderSpec

    if embeddings is not None and encoder is None:
        raise InputError(
            "vectors without the name of their encoder",
            where="--embeddings",
            expected="--encoder KEY beside it, naming model, pooling, prefixes and length",
        )
    mapping = ColumnMapping.from_flags(pairs)
    matrix = spec = None
    if embeddings is not None and encoder is not None:
        stored = read_embeddings(embeddings)
        if stored.note:
            remark(f"{embeddings.name}: {stored.note}")
        matrix = stored.matrix
        spec = EncoderSpec(encoder, encoder, matrix.shape[1], {"key": encoder})
    with Warehouse.open(warehouse, command="ingest") as wh:
        done = take_in(
            wh,
            corpus,
            read_batches(list(paths), format=kind, mapping=mapping),
            principal=local_principal(),
            embeddings=matrix,
            encoder=spec,
            batch_label=batch,
            full=full,
            input_name=", ".join(path.name for path in paths),
        )
    if done.accepted == 0 and done.rejected == 0:
        remark("nothing new: every record was there already")
    if done.full_refused:
        remark("records were rejected, so nothing was marked as gone: mend them and ingest again with --full")
    for entry in done.rejects[:5]:
        remark(f"rejected {entry.where}: {entry.reason}")
    if done.rejected > 5:
        remark(f"… and {done.rejected - 5:,} more: {done.rejects_file}")
    result(
        {
            "corpus": corpus,
            "accepted": done.accepted,
            "duplicates": done.duplicates,
            "rejected": done.rejected,
            "documents": done.documents,
            "tombstoned": done.tombstoned,
            "embedded": done.embedded,
            "snapshot": done.snapshot,
            "batch": done.batch,
            "rejects_file": str(done.rejects_file) if done.rejects_file else None,
            "seconds": done.seconds,
        },
        as_json=as_json,
    )
    return EXIT_REJECTED if done.rejected else 0
