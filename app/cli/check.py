"""`ragsieve check`: statements of documents, and people's checks of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from app.cli.options import json_option, note_option, warehouse_option
from app.cli.output import result, table

KINDS = ("source_authorisation", "cross_source_agreement", "time_validity", "human_review")
OUTCOMES = ("supported", "contradicted", "inconclusive")


@click.group("check")
def check() -> None:
    """The truth track. It is apart from promotion: no score and no verdict moves it."""


@check.command("state")
@click.argument("document")
@click.option("--corpus", required=True)
@click.option("--statement", required=True, help="What the document says, in your words.")
@warehouse_option
@json_option
def state(document: str, corpus: str, statement: str, warehouse: Path, as_json: bool) -> int:
    """Write down a statement of DOCUMENT, to be checked."""
    from app.services.owning import owning
    from warehouse.truth import state_claim

    with owning(warehouse, command="check state", action="state a claim") as (wh, who):
        made = state_claim(wh, corpus, document, principal=who, statement=statement)
    result({"claim": made}, as_json=as_json)
    return 0


@check.command("record")
@click.argument("claim")
@click.option("--kind", required=True, type=click.Choice(KINDS))
@click.option("--outcome", required=True, type=click.Choice(OUTCOMES))
@click.option("--evidence", multiple=True, required=True, help="Link or record that was looked at; repeatable.")
@click.option("--expires", type=click.DateTime(["%Y-%m-%d"]), help="Date from which it counts no more (UTC).")
@note_option
@warehouse_option
@json_option
def record(
    claim: str,
    kind: Any,
    outcome: Any,
    evidence: tuple[str, ...],
    expires: Any,
    note: str,
    warehouse: Path,
    as_json: bool,
) -> int:
    """Store your check of CLAIM."""
    from app.services.owning import owning
    from warehouse.truth import record_check

    with owning(warehouse, command="check record", action="check a claim") as (wh, who):
        given = {"kind": kind, "outcome": outcome, "evidence": evidence, "note": note, "expires_at": expires}
        made = record_check(wh, claim, principal=who, **given)
    result({"check": made}, as_json=as_json)
    return 0


@check.command("list")
@click.option("--corpus", default="")
@click.option("--document", default="")
@warehouse_option
@json_option
def list_all(corpus: str, document: str, warehouse: Path, as_json: bool) -> int:
    """Statements and their status now."""
    from app.services.owning import owning
    from warehouse.truth import list_claims

    with owning(warehouse, command="check list", action="list claims") as (wh, who):
        rows = list_claims(wh, principal=who, corpus=corpus, document_id=document)
    if as_json:
        result({"claims": json.loads(json.dumps(rows, default=lambda value: value.isoformat()))}, as_json=True)
        return 0
    table(rows, ("claim_id", "corpus", "document_id", "status", "statement"), empty="no statement yet")
    return 0
