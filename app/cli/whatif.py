"""`ragsieve whatif`: what other thresholds would do."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from app.cli.options import json_option, warehouse_option
from app.cli.output import remark, result, table


@click.command()
@click.option("--detector", type=click.Choice(("rsq", "rsg")), default="rsq", show_default=True)
@click.option("--rule", default=None, help="Preset; default the one used last over the corpus.")
@click.option("--corpus", required=True, help="Corpus of the slice.")
@click.option("--retriever", default=None, help="Encoder of the slice, by key or name; default any.")
@click.option("--scan", default="", help="Scan to look at (rsg); default the latest of the slice.")
@click.option("--set", "moves", multiple=True, metavar="NAME=NUMBER", help="A move; may be given again.")
@click.option("--days", type=click.IntRange(1, 3650), default=30, show_default=True, help="Recent window.")
@click.option(
    "--choose-at",
    type=click.FloatRange(0, 1, max_open=True),
    default=None,
    help="Choose a threshold for this clean-removal budget on half of the targets, report it on the rest.",
)
@click.option("--list", "listed", type=click.IntRange(0), default=20, show_default=True, help="Flips to list.")
@warehouse_option
@json_option
def whatif(
    detector: str,
    rule: str | None,
    corpus: str,
    retriever: str | None,
    scan: str,
    moves: tuple[str, ...],
    days: int,
    choose_at: float | None,
    listed: int,
    warehouse: Path,
    as_json: bool,
) -> None:
    """Rescore what is stored under other parameters, beside the policy in force. Nothing is changed.

    Moves of rsq: eta_Q, weight.TERM, gate.TERM (a term below its gate counts 0), script_support (script counts only
    where the other terms come to this), TERM one of anchor, script, surprisal, alignment. Of rsg paper: eta_G, tau_e,
    tau_l, k_G, alpha_G, density_cut. Of rsg calibrated: cut, eta_G. What stored columns cannot answer is refused with
    the reason. Events whose ranking an RSG move would change are counted as needing a replay.
    """
    from app.services.owner_jobs import run_job
    from app.services.whatif_setting import Setting
    from ragsieve_core.whatif.naming import parse_moves

    setting = Setting(
        detector=detector,
        rule=rule or "",
        corpus=corpus,
        retriever=retriever,
        moves=parse_moves(moves),
        scan=scan,
        days=days,
        choose_at=choose_at,
        listed=listed,
        warehouse=str(warehouse),
    )
    found = run_job(warehouse, "whatif", asdict(setting), command="whatif", say=remark)
    if as_json:
        result(found, as_json=True)
        return
    for name, value in found["parameters"]["proposed"].items():
        before = found["parameters"]["in_force"][name]
        if value != before:
            remark(f"{name}: {before:g} -> {value:g}")
    table(_rows(found), ("measure", "in_force", "proposed"), empty="")
    counts = {name: found[name] for name in ("raised", "released", "contradicting", "needs_replay")}
    result({**counts, "held_out": _held(found["held_out"]), "command": found["command"]}, as_json=False)
    if found["flips"]:
        columns = ("document_id", "query_id", "before", "after", "flag", "verdict", "contradicts")
        table(found["flips"], [c for c in columns if c in found["flips"][0]], empty="")
    for note in found["notes"]:
        remark(note)
    if found["proposed"]["basis"] == "flagged_only":
        remark("only flagged items were ever labelled: precision is known, caught and clean removal are not")
    elif found["proposed"]["basis"] == "none":
        remark("nothing is labelled here: only volume is known")


def _held(held: dict[str, Any] | None) -> str:
    if held is None:
        return ""
    rates = f"caught {_rate(held['caught'])}, clean removed {_rate(held['removed'])}"
    return f"{held['parameter']} {held['threshold']:.4f}; on the other half: {rates}"


def _rate(rate: dict[str, Any] | None) -> str:
    if rate is None or rate["value"] is None:
        return "not available"
    return f"{rate['value']:.3f} [{rate['low']:.3f}, {rate['high']:.3f}] n {rate['n']:,}"


def _rows(found: dict[str, Any]) -> list[dict[str, str]]:
    unit, days = found["unit"], found["days"]
    flagged = "candidates" if unit == "queries" else "documents"
    new = "queries" if unit == "queries" else "new documents"
    names = {
        "flagged": f"{flagged} flagged",
        "units": unit,
        "touched": f"{unit} touched",
        "per_thousand": f"flagged per 1,000 {unit}",
        "recent_flagged": f"flagged, last {days} days",
        "recent_per_thousand": f"flagged per 1,000 {new}, last {days} days",
    }
    rows = [
        {"measure": label, **{end: _count(found[end][name]) for end in ("in_force", "proposed")}}
        for name, label in names.items()
    ]
    for name, label in (("caught", "planted caught"), ("removed", "clean removed"), ("precision", "precision")):
        rows.append({"measure": label, **{end: _rate(found[end][name]) for end in ("in_force", "proposed")}})
    if unit == "queries":
        ends = {
            end: f"{found[end]['recall_at_5']:.3f} n {found[end]['recall_queries']:,}"
            if found[end]["recall_at_5"] is not None
            else "not available: no relevance judgements"
            for end in ("in_force", "proposed")
        }
        rows.append({"measure": "Recall@5 of what survives", **ends})
    return rows


def _count(value: float | int | None) -> str:
    if value is None:
        return "not available"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
