"""`ragsieve query`: one question through the whole chain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from app.cli.options import cache_option, json_option, profile_option, rule_option, wait_option, warehouse_option
from app.cli.output import remark, result


@click.command()
@click.argument("text")
@click.option("--corpus", required=True, help="Corpus to ask.")
@click.option("--snapshot", default=None, help="Ask an earlier snapshot; default the latest.")
@rule_option("calibrated")
@profile_option
@cache_option
@warehouse_option
@wait_option
@json_option
def query(
    text: str,
    corpus: str,
    snapshot: str | None,
    rule: str,
    no_cache: bool,
    warehouse: Path,
    wait_s: float,
    as_json: bool,
    **models: Any,
) -> None:
    """Ask TEXT: retrieve, drop what is quarantined or held, score by RSQ, refill to five documents."""
    from app.services.access import open_access
    from app.services.asking import ask
    from app.services.features import CacheOptions, open_features
    from app.services.models import open_models

    loaded = open_models(**models)
    with open_access(warehouse, command="query", say=remark, wait_s=wait_s) as access:
        features = open_features(loaded, warehouse, options=CacheOptions(not no_cache), say=remark)
        [(answers, _)] = list(
            ask(access, corpus, [("", text)], loaded, rule=rule, snapshot=snapshot, features=features)
        )
        if not access.knows_alerts:
            remark("open alerts are known to the owner of the warehouse only: a contaminated tail may go unsaid here")
    answer = answers[0]
    done = answer.result
    result(
        {
            "context": [document.id for document in done.context],
            "removed": [r.document_id for r in done.removed if r.by == "rsq"],
            "quarantined": [r.document_id for r in done.removed if r.by in ("quarantine", "hold")],
            "state": done.state.value,
            "tail_suspects": list(done.tail_suspects),
            "refill_depth": done.refill_depth,
            "event": answer.event_id,
        },
        as_json=as_json,
    )
