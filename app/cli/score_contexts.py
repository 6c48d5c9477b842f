"""`ragsieve score-contexts`: RSQ on a file of prepared rankings, no warehouse."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from app.cli.options import json_option, out_option, profile_option, rule_option
from app.cli.output import progress, remark, result


@click.command("score-contexts")
@click.argument("contexts", type=click.Path(path_type=Path))
@out_option
@rule_option("paper")
@profile_option
@json_option
def score_contexts(contexts: Path, out: Path, rule: str, as_json: bool, **models: Any) -> None:
    """RSQ for every candidate of every ranking in CONTEXTS (JSON Lines).

    A row of CONTEXTS: query_id, query, condition, documents[] of id, rank, text, optional title and poison. A row
    written: the candidate's four terms, their parts, score and flag.
    """
    from app.services.models import open_models
    from ragsieve_core.formats.contexts import read_contexts
    from ragsieve_core.formats.jsonl_writer import JsonlWriter
    from ragsieve_core.models.feature_cache import Features
    from ragsieve_core.rsq import rsq_preset
    from ragsieve_core.rsq import score_contexts as rsq_contexts
    from ragsieve_core.rsq.record import candidate_record

    config = rsq_preset(rule)
    rankings = read_contexts(contexts, n=config.n_least, k=config.k)
    loaded = open_models(**models)
    remark("loading models")
    cache = Features(loaded.causal_lm, loaded.trace_encoder, document_tokens=config.document_max_tokens)
    flagged = candidates = touched = short = 0
    start = time.perf_counter()
    with JsonlWriter(out) as writer, progress("scoring rankings") as step:
        for ranking in rsq_contexts(
            rankings, cache.causal_lm, cache.trace_encoder, config, lexical=cache.lexical_for(config), progress=step
        ):
            touched += any(candidate.flagged for candidate in ranking.candidates)
            short += ranking.tail_short
            for candidate in ranking.candidates:
                candidates += 1
                flagged += candidate.flagged
                writer.write(candidate_record(ranking, candidate))
    seconds = time.perf_counter() - start
    if short:
        remark(f"{short} of {len(rankings)} rankings hold fewer than {config.n} documents: their tails are short")
    counts = {"rankings": len(rankings), "candidates": candidates, "flagged": flagged, "queries_touched": touched}
    result({**counts, "rule": rule, "profile": models["profile"], "seconds": seconds, "out": str(out)}, as_json=as_json)
