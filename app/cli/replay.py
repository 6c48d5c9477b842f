"""`ragsieve replay`: RSQ over stored rankings, into the event log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from app.cli.options import json_option, profile_option, rule_option, warehouse_option
from app.cli.output import progress, remark, result


@click.command()
@click.argument("contexts", type=click.Path(path_type=Path))
@click.option("--corpus", required=True, help="Corpus the rankings belong to; made on first use.")
@rule_option("paper")
@profile_option
@warehouse_option
@json_option
def replay(contexts: Path, corpus: str, rule: str, warehouse: Path, as_json: bool, **models: Any) -> None:
    """Run RSQ over the rankings in CONTEXTS (JSON Lines) and raise alerts.

    A row: query_id, query, condition, documents[] of id, rank, text, optional title and poison. Labels are stored for
    evaluation and never used. Replaying the same file twice adds nothing.
    """
    from app.services.events import Origin, run_rankings
    from app.services.models import open_models
    from app.services.replaying import labels_of
    from ragsieve_core.formats.contexts import read_contexts
    from ragsieve_core.rsq import rsq_preset
    from warehouse.corpora import ensure_corpus
    from warehouse.database import Warehouse
    from warehouse.labels import record_labels
    from warehouse.principal import local_principal

    config = rsq_preset(rule)
    rankings = read_contexts(contexts, n=config.n, k=config.k)
    loaded = open_models(**models)
    principal = local_principal()
    counts = dict.fromkeys(("events", "duplicates", "candidates", "flagged", "alerts", "new_alerts"), 0)
    with Warehouse.open(warehouse, command="replay") as wh:
        ensure_corpus(wh, corpus, principal=principal)
        with progress("replaying rankings") as step:
            for _, done in run_rankings(
                wh, rankings, Origin(corpus, "replay"), loaded, config, principal=principal, progress=step
            ):
                for name in counts:
                    counts[name] += getattr(done, name)
        labels = record_labels(wh, labels_of(rankings, corpus, contexts.name), principal=principal)
    if counts["duplicates"]:
        remark(f"{counts['duplicates']} rankings were stored already")
    result({"corpus": corpus, "rule": rule, **counts, "labels": labels}, as_json=as_json)
