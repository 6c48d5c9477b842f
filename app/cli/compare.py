"""`ragsieve compare`: two versions over all stored queries."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from app.cli.options import cache_option, json_option, profile_option, warehouse_option
from app.cli.output import progress, remark, result, table


@click.command()
@click.argument("a")
@click.argument("b")
@click.option("--corpus", required=True, help="Corpus whose stored queries are played again.")
@click.option("--policy-a", default="as-asked", show_default=True, help="Policy of A: a version, none, in-force.")
@click.option("--policy-b", default="as-asked", show_default=True, help="Policy of B: a version, none, in-force.")
@click.option("--rule-a", default="", help="Rule of RSQ under A; default the one each query was scored by.")
@click.option("--rule-b", default="", help="Rule of RSQ under B; default the one each query was scored by.")
@click.option("--source", default="", help="Only queries from here: query, replay or gate.")
@click.option("--rule", default="", help="Only queries scored by this rule.")
@click.option("--condition", default="", help="Only queries of this condition.")
@click.option("--event", default="", help="Only this event.")
@click.option("--list", "listed", type=click.IntRange(0), default=20, show_default=True, help="Queries to list.")
@click.option("--score", is_flag=True, help="First score with the models what stored scores cannot answer.")
@cache_option
@profile_option
@warehouse_option
@json_option
def compare(
    a: str,
    b: str,
    corpus: str,
    policy_a: str,
    policy_b: str,
    rule_a: str,
    rule_b: str,
    source: str,
    rule: str,
    condition: str,
    event: str,
    listed: int,
    score: bool,
    no_cache: bool,
    warehouse: Path,
    as_json: bool,
    **models: Any,
) -> None:
    """How the final contexts of all stored queries differ under version A and version B. Nothing is changed.

    A and B are quarantine versions: an id (`ragsieve quarantine list`), none, in-force, or as-asked = the one that each
    query met. Stored rankings are played again: nothing is retrieved. Stored scores count where RSQ would look at the
    same documents as then; other queries are counted as not compared, with the reason, until --score has scored them.
    """
    from app.services.comparing import Version, Wanted
    from app.services.comparison_report import UNKNOWN_WORDS
    from app.services.owner_jobs import run_job

    wanted = Wanted(
        corpus,
        Version(a, policy_a, rule_a),
        Version(b, policy_b, rule_b),
        source=source,
        rule=rule,
        condition=condition,
        event=event,
        warehouse=str(warehouse),
    )
    if score:
        _score(warehouse, wanted, no_cache=no_cache, **models)
    found = run_job(warehouse, "compare", asdict(wanted) | {"listed": listed}, command="compare", say=remark)
    if as_json:
        result(found, as_json=True)
        return
    names = ("queries", "compared", "changed", "changed_share", "entering", "leaving", "entries", "exits")
    result({name: found[name] for name in names} | {"command": found["command"]}, as_json=False)
    table(found["states"], ("state", "a", "b"), empty="")
    short = found["tail_short"]
    remark(f"tail short: {short['a']:,} under A, {short['b']:,} under B")
    for why, count in found["not_compared"].items():
        remark(f"not compared: {count:,}: {UNKNOWN_WORDS[why]}")
    if found["documents"]:
        table(found["documents"], ("document_id", "enters", "leaves"), empty="")
    if found["rows"]:
        flat = [row | {"question": row["query_text"] or row["query_id"]} for row in found["rows"]]
        table(flat, ("event_id", "question", "state_a", "state_b", "enters", "leaves"), empty="")


def _score(warehouse: Path, wanted: Any, *, no_cache: bool, **models: Any) -> None:
    from app.services.features import CacheOptions, open_features
    from app.services.models import open_models
    from app.services.owner_access import OwnerAccess
    from app.services.owning import owning
    from app.services.rescoring import OTHER_MODELS, rescore

    loaded = open_models(**models)
    with owning(warehouse, command="compare", action="score stored queries") as (wh, who):
        features = open_features(loaded, warehouse, options=CacheOptions(not no_cache), say=remark)
        with progress("scoring rankings") as step:
            done = rescore(OwnerAccess(wh, who), wanted, features, lambda _, part, whole: step(part, whole))
    remark(f"{done.scored:,} rankings were scored")
    if others := done.left.get(OTHER_MODELS):
        remark(f"{others:,} queries were left out: other models had scored them (--profile)")
