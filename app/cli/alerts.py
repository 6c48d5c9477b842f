"""`ragsieve alerts`: the queue as a list, with the version that a decision has to name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from app.cli.options import json_option, warehouse_option
from app.cli.output import remark, result, table

STATUSES = ("open", "claimed", "decided", "waiting", "in_force", "closed")
KINDS = ("isolation", "integrity", "copies")


@click.command("alerts")
@click.option("--corpus", default="", help="Only this corpus.")
@click.option("--status", "statuses", multiple=True, type=click.Choice(STATUSES), help="Repeatable; default: open.")
@click.option("--all", "everything", is_flag=True, help="Whatever their status.")
@click.option("--verdict", "verdicts", multiple=True, help="Only with this verdict; repeatable.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only resting on this; repeatable.")
@click.option("--campaign", default="", help="Only of this campaign (c-…), described first, or group of copies (g-…).")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@warehouse_option
@json_option
def alerts(
    corpus: str,
    statuses: tuple[str, ...],
    everything: bool,
    verdicts: tuple[str, ...],
    kinds: tuple[str, ...],
    campaign: str,
    limit: int,
    warehouse: Path,
    as_json: bool,
) -> int:
    """List alerts, most severe first. A flag is triage: it never means "false" or "delete"."""
    from app.services.owner_jobs import run_job

    wanted = [] if everything or ((verdicts or campaign) and not statuses) else list(statuses) or ["open"]
    given = {
        "corpus": corpus,
        "statuses": wanted,
        "verdicts": list(verdicts),
        "kinds": list(kinds),
        "campaign": campaign,
        "limit": limit,
    }
    found = run_job(warehouse, "alerts", given, command="alerts", say=remark)
    if as_json:
        result(found, as_json=True)
        return 0
    if "campaign" in found:
        _tell(found["campaign"])
    columns = (
        "alert_id",
        "version",
        "detector",
        "kind",
        "corpus",
        "document_id",
        "score",
        "severity",
        "status",
        "verdict",
    )
    table(found["alerts"], columns, empty="no such alerts")
    if found["total"] > len(found["alerts"]):
        remark(f"{len(found['alerts']):,} of {found['total']:,}: --limit shows more")
    return 0


def _tell(found: dict[str, Any]) -> None:
    """A campaign in a few lines on stderr; its words and names come from documents and are cleaned."""
    from app.components.labels import plain_label

    row = found["campaign"]
    state = "in the last scan" if row["in_last_scan"] else f"last seen {row['last_seen']}"
    remark(f"campaign {row['campaign_id']} of {plain_label(row['corpus'])}: {row['documents']:,} documents, {state}")
    if row["shared_words"]:
        remark("  words of every member: " + ", ".join(plain_label(word, 30) for word in row["shared_words"]))
    for name in ("contributors", "batches", "sources"):
        if found[name]:
            listed = ", ".join(f"{plain_label(one, 40)} ({number:,})" for one, number in found[name][:5])
            remark(f"  {name}: {listed}" + (" and more" if len(found[name]) > 5 else ""))
    if found["context"]:
        near = ", ".join(plain_label(other["document_id"], 40) for other in found["context"][:5])
        remark(f"  near it, no members: {len(found['context']):,} documents, for instance {near}")
