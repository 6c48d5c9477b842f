"""`ragsieve replay`: RSQ over stored rankings, into the event log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from app.cli.options import cache_option, json_option, profile_option, rule_option, wait_option, warehouse_option
from app.cli.output import progress, remark, result


@click.command()
@click.argument("contexts", type=click.Path(path_type=Path))
@click.option("--corpus", required=True, help="Corpus the rankings belong to; made on first use.")
@click.option(
    "--encoder", default=None, help="Key of the retriever that made the rankings; the slice of an evaluation."
)
@rule_option("calibrated")
@profile_option
@cache_option
@warehouse_option
@wait_option
@json_option
def replay(
    contexts: Path,
    corpus: str,
    encoder: str | None,
    rule: str,
    no_cache: bool,
    warehouse: Path,
    wait_s: float,
    as_json: bool,
    **models: Any,
) -> None:
    """Run RSQ over the rankings in CONTEXTS (JSON Lines) and raise alerts.

    A row: query_id, query, condition, documents[] of id, rank, text, optional title and poison. Labels are stored for
    evaluation and never used. Thresholds in force for the corpus and the encoder apply. Replaying the same file twice
    adds nothing.
    """
    from app.services.access import open_access
    from app.services.events import Origin, run_rankings, touched
    from app.services.features import CacheOptions, open_features
    from app.services.models import open_models
    from app.services.replaying import labels_of
    from ragsieve_core.formats.contexts import read_contexts
    from ragsieve_core.rsq import rsq_preset

    config = rsq_preset(rule)
    rankings = read_contexts(contexts, n=config.n_least, k=config.k)
    loaded = open_models(**models)
    queries = 0
    counts = dict.fromkeys(("events", "duplicates", "candidates", "flagged", "alerts", "new_alerts"), 0)
    with open_access(warehouse, command="replay", say=remark, wait_s=wait_s) as access:
        config = access.published().policy.applied(config, corpus, encoder)
        features = open_features(loaded, warehouse, options=CacheOptions(not no_cache), say=remark)
        origin = Origin(corpus, "replay", encoder=encoder)
        with progress("replaying rankings") as step:
            for answers, done in run_rankings(
                access, rankings, origin, loaded, config, features=features, progress=step
            ):
                queries += touched(answers)
                for name in counts:
                    counts[name] += done[name]
        labels = access.record_labels(labels_of(rankings, corpus, contexts.name))
    if labels is None:
        remark("labels were left out: they are taken by the owner of the warehouse only, so replay once it is free")
    if counts["duplicates"]:
        remark(f"{counts['duplicates']} rankings were stored already")
    result({"corpus": corpus, "rule": rule, **counts, "queries_touched": queries, "labels": labels}, as_json=as_json)
