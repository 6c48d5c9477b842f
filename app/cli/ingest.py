"""`ragsieve ingest`: documents and their vectors into a corpus."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import click

from app.cli.options import json_option, profile_option, rule_option, wait_option, warehouse_option
from app.cli.output import progress, remark, result
from ragsieve_core.errors import EXIT_REJECTED, InputError, RagsieveError

SHOWN = 5
"""Rejected records named on the terminal; all of them are in the rejects file."""


def first_lines(rejects_file: str | Path | None) -> list[dict[str, Any]]:
    """The first rows of a rejects file."""
    if rejects_file is None:
        return []
    with Path(rejects_file).open(encoding="utf-8") as file:
        return [json.loads(line) for line in islice(file, SHOWN)]


@click.command()
@click.argument("paths", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--corpus", required=True, help="Corpus to take them into; made on first use.")
@click.option("--format", "kind", default=None, help="jsonl, csv, tsv, parquet, arrow, text, beir, release, attacks.")
@click.option("--map", "pairs", multiple=True, metavar="FIELD=COLUMN", help="Which column holds a field; repeatable.")
@click.option("--embeddings", type=click.Path(path_type=Path), help="Matrix (.npy), one row per record of the input.")
@click.option("--encoder", default=None, help="Key naming the encoder that made the vectors, every parameter of it.")
@click.option("--batch", default="", help="Label of this batch.")
@click.option("--full", is_flag=True, help="The input is the whole corpus: documents it lacks are marked as gone.")
@click.option("--warm", is_flag=True, help="Compute the features of the corpus afterwards: see `ragsieve warm`.")
@click.option("--url", default=None, help="Deliver to `ragsieve serve --ingest` there instead of a local warehouse.")
@click.option("--token-file", type=click.Path(path_type=Path), help="File with the token for --url (mode 0600).")
@click.option(
    "--scan/--no-scan",
    "wanted",
    default=None,
    help="Scan the corpus afterwards; default where its policy is after_scan and something changed.",
)
@rule_option("calibrated")
@profile_option
@warehouse_option
@wait_option
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
    warm: bool,
    url: str | None,
    token_file: Path | None,
    wanted: bool | None,
    rule: str,
    warehouse: Path,
    wait_s: float,
    as_json: bool,
    **models: Any,
) -> int:
    """Take documents from PATHS (files or folders) into a corpus.

    A record that fails a check is rejected alone and listed in a rejects file; the rest goes in (exit code 1). Taking
    the same file in again adds nothing. Where the corpus's policy is after_scan, the scan follows.
    """
    from app.cli.warm import run as run_warming
    from app.services.access import open_access
    from app.services.deliveries import as_new_delivery
    from app.services.features import open_features
    from app.services.http_delivery import endpoint, post_segment, read_token
    from app.services.models import open_models
    from app.services.warming import plan_warming
    from ragsieve_core.formats.embeddings import read_embeddings
    from ragsieve_core.formats.mapping import ColumnMapping
    from ragsieve_core.formats.reading import read_batches
    from warehouse.records import EncoderSpec
    from warehouse.segment_kinds import documents_segment

    if embeddings is not None and encoder is None:
        raise InputError(
            "vectors without the name of their encoder",
            where="--embeddings",
            expected="--encoder KEY beside it, naming model, pooling, prefixes and length",
        )
    if (url is None) != (token_file is None):
        raise InputError("--url and --token-file belong together", where="ingest", expected="both, or neither")
    if url is not None and wanted:
        raise InputError(
            "a corpus on another machine cannot be scanned from here",
            where="--scan",
            do="beside its owner: ragsieve scan --corpus NAME --every 15m",
        )
    if warm and url is not None:
        raise InputError("features are computed where the corpus lies", where="--warm", do="leave --url or --warm out")
    token = ""
    if url is not None and token_file is not None:
        endpoint(url)
        token = read_token(token_file)
    mapping = ColumnMapping.from_flags(pairs)
    matrix = spec = plan = None
    if embeddings is not None and encoder is not None:
        stored = read_embeddings(embeddings)
        if stored.note:
            remark(f"{embeddings.name}: {stored.note}")
        matrix = stored.matrix
        spec = EncoderSpec(encoder, encoder, matrix.shape[1], {"key": encoder})
    start = time.perf_counter()
    batches = read_batches(list(paths), format=kind, mapping=mapping)
    given: dict[str, Any] = {
        "embeddings": matrix,
        "encoder": spec,
        "batch_label": batch,
        "full": full,
        "input_name": ", ".join(path.name for path in paths),
    }
    if url is not None:
        data = as_new_delivery(documents_segment(corpus, batches, **given))
        done = dict(post_segment(url, token, data, say=remark))
        if done["rejected"]:
            remark(f"{done['rejected']:,} records were rejected; the list lies with the owner: {done['rejects_file']}")
            done["rejects_file"] = None
    else:
        with open_access(warehouse, command="ingest", say=remark, wait_s=wait_s) as access:
            done = dict(access.ingest(corpus, batches, **given))
            plan = plan_warming(access, corpus) if warm and done["documents"] else None
    seconds = time.perf_counter() - start
    if done["accepted"] == 0 and done["rejected"] == 0:
        remark("nothing new: every record was there already")
    if done["full_refused"]:
        remark("records were rejected, so nothing was marked as gone: mend them and ingest again with --full")
    for row in first_lines(done["rejects_file"]):
        remark(f"rejected {row['file']}:{row['line']}: {row['reason']}")
    if done["rejected"] > SHOWN and done["rejects_file"]:
        remark(f"… and {done['rejected'] - SHOWN:,} more: {done['rejects_file']}")
    names = ("accepted", "duplicates", "rejected", "documents", "tombstoned", "embedded", "snapshot", "batch")
    rejects_file = str(done["rejects_file"]) if done["rejects_file"] else None
    counts = {name: done[name] for name in names}
    values: dict[str, Any] = {"corpus": corpus, **counts, "rejects_file": rejects_file, "seconds": seconds}
    if plan is not None:
        values["warmed"] = run_warming(open_features(open_models(**models), warehouse, say=remark), plan)
    if not _is_due(done, wanted, remote=url is not None):
        result(values, as_json=as_json)
        return EXIT_REJECTED if done["rejected"] else 0
    # The documents are in, whatever becomes of the scan
    code = EXIT_REJECTED if done["rejected"] else 0
    scanned: dict[str, Any] = {}
    try:
        scanned = _scan(warehouse, corpus, models, rule=rule, encoder=encoder, wait_s=wait_s, as_json=as_json)
    except RagsieveError as error:
        remark(f"the documents are in, but the scan failed: {error.render()}")
        scanned, code = {"error": error.what}, error.exit_code
    shown = {"scan": scanned} if as_json else {f"scan_{name}": scanned[name] for name in scanned if name in _SHORT}
    result(values | shown, as_json=as_json)
    return code


_SHORT = ("scan", "documents", "flagged", "alerts", "new_alerts", "seconds", "error")


def _is_due(done: Mapping[str, Any], wanted: bool | None, *, remote: bool) -> bool:
    """Whether the corpus is scanned now: where asked for, or where its documents wait for a scan."""
    changed = bool(done["accepted"] or done["tombstoned"])
    by_policy = wanted is None and done.get("admission") == "after_scan" and changed
    if not (wanted or by_policy):
        return False
    if remote:
        remark("the policy of the corpus asks for a scan: its owner runs it (ragsieve scan --corpus NAME --every 15m)")
        return False
    if done["documents"] < 2:
        remark("no scan yet: a neighbourhood needs a second document")
        return False
    return True


def _scan(
    warehouse: Path,
    corpus: str,
    models: Mapping[str, Any],
    *,
    rule: str,
    encoder: str | None,
    wait_s: float,
    as_json: bool,
) -> dict[str, Any]:
    from app.cli.scan_summary import scan_lines, scan_values
    from app.services.access import open_access
    from app.services.models import open_models
    from app.services.scanning import scan_corpus

    with open_access(warehouse, command="scan", say=remark, wait_s=wait_s) as access:
        done = scan_corpus(access, corpus, open_models(**models), rule=rule, encoder=encoder, bar=progress, say=remark)
    for line in scan_lines(done):
        remark(line)
    return scan_values(corpus, rule, done, as_json=as_json)
