"""`ragsieve corpus`: what people say about a corpus, its sources and its documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from app.cli.options import json_option, note_option, warehouse_option
from app.cli.output import remark, result, table
from ragsieve_core.errors import InputError

ADMISSIONS = ("at_once", "after_scan", "after_review")
TRUSTS = ("trusted", "neutral", "untrusted")


@click.group("corpus")
def corpus() -> None:
    """Corpora: admission policy, trust of sources and contributors, risk tiers, admitted documents."""


@corpus.command("list")
@warehouse_option
@json_option
def list_all(warehouse: Path, as_json: bool) -> int:
    """Every corpus with its size, what no scan has seen yet and for how long, and what is in force.

    `unscanned` counts documents whose text no RSG scan has scored, `oldest` is the age of the oldest of them.
    """
    from app.components.facts import age
    from app.services.owner_jobs import run_job

    found = run_job(warehouse, "corpora", {}, command="corpus list", say=remark)
    if as_json:
        result(found, as_json=True)
        return 0
    rows = [
        row
        | {
            "risk": next((entry["tier"] for entry in row["risk"] if not entry["document_id"]), None),
            "trust": ", ".join(f"{entry['name']}: {entry['trust']}" for entry in row["trust"]),
            "oldest": None if row["oldest_unscanned_hours"] is None else age(row["oldest_unscanned_hours"]),
        }
        for row in found["corpora"]
    ]
    columns = ("name", "documents", "unscanned", "oldest", "admission", "risk", "trust", "snapshot_id")
    table(rows, columns, empty="no corpus yet: ragsieve ingest --corpus NAME FILE")
    return 0


@corpus.command("policy")
@click.argument("name")
@click.argument("admission", type=click.Choice(ADMISSIONS))
@warehouse_option
@json_option
def policy(name: str, admission: Any, warehouse: Path, as_json: bool) -> int:
    """Say when new documents of corpus NAME may be retrieved: at once, after a scan, or after a review."""
    from app.services.owning import owning
    from warehouse.corpora import ensure_corpus, get_corpus
    from warehouse.publish import ensure_published

    with owning(warehouse, command="corpus policy", action="change a policy") as (wh, who):
        before = get_corpus(wh, name, principal=who)
        ensure_corpus(wh, before.name, principal=who, admission=admission)
        number = ensure_published(wh, principal=who)
    values = {"corpus": before.name, "admission": admission, "before": before.admission, "publication": number}
    result(values, as_json=as_json)
    return 0


@corpus.command("trust")
@click.argument("name")
@click.argument("trust", type=click.Choice(TRUSTS))
@click.option("--source", default=None, help="Prefix of source URIs.")
@click.option("--contributor", default=None, help="Name of a contributor.")
@note_option
@warehouse_option
@json_option
def set_trust(
    name: str, trust: Any, source: str | None, contributor: str | None, note: str, warehouse: Path, as_json: bool
) -> int:
    """Say how far a source or a contributor of corpus NAME is trusted."""
    from app.services.owning import owning
    from warehouse import provenance

    if (source is None) == (contributor is None):
        raise InputError("whose trust?", expected="either --source PREFIX or --contributor NAME")
    kind: Any = "source" if source is not None else "contributor"
    subject = source if source is not None else contributor or ""
    with owning(warehouse, command="corpus trust", action="set the trust of a source") as (wh, who):
        provenance.set_trust(wh, name, kind, subject, trust, principal=who, note=note)
    result({"corpus": name, "kind": kind, "name": subject, "trust": trust}, as_json=as_json)
    return 0


@corpus.command("risk")
@click.argument("name")
@click.argument("tier", type=click.IntRange(1, 3))
@click.option("--document", default="", help="One document instead of the whole corpus.")
@note_option
@warehouse_option
@json_option
def set_risk(name: str, tier: int, document: str, note: str, warehouse: Path, as_json: bool) -> int:
    """Say how much harm a wrong text would do in corpus NAME: 1 low, 2 medium, 3 high."""
    from app.services.owning import owning
    from warehouse import provenance

    with owning(warehouse, command="corpus risk", action="set a risk tier") as (wh, who):
        provenance.set_risk_tier(wh, name, tier, principal=who, document_id=document, note=note)
    result({"corpus": name, "document": document or None, "tier": tier}, as_json=as_json)
    return 0


@corpus.command("admit")
@click.argument("name")
@click.argument("documents", nargs=-1, required=True)
@note_option
@warehouse_option
@json_option
def admit(name: str, documents: tuple[str, ...], note: str, warehouse: Path, as_json: bool) -> int:
    """Let DOCUMENTS (ids) of corpus NAME into retrieval, where its policy is after_review."""
    from app.services.owning import owning
    from warehouse import provenance

    with owning(warehouse, command="corpus admit", action="admit documents") as (wh, who):
        number = provenance.admit(wh, name, documents, principal=who, note=note)
    result({"corpus": name, "admitted": len(documents), "publication": number}, as_json=as_json)
    return 0
