"""`ragsieve policy`: thresholds per slice, as immutable versions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.options import json_option, note_option, warehouse_option, yes_option
from app.cli.output import confirm, remark, result, table
from ragsieve_core.errors import InputError

if TYPE_CHECKING:
    from warehouse.policies import PolicyVersion


@click.group()
def policy() -> None:
    """Thresholds in force per slice of corpus and retriever.

    A version is never changed: saving makes a new one, a roll-back too. What is in force applies to the next scan,
    query and gate call. A version that may flag fewer documents needs a second person, single-user mode excepted.
    """


@policy.command("list")
@warehouse_option
@json_option
def list_command(warehouse: Path, as_json: bool) -> None:
    """List versions, latest first."""
    rows = _versions(warehouse)
    if as_json:
        result({"policies": rows, "count": len(rows)}, as_json=True)
        return
    columns = ("sequence", "policy_id", "state", "slices", "loosens", "author", "approved_by", "created_at", "note")
    table(
        [row | {"slices": len(row["rules"])} for row in rows],
        columns,
        empty="no policy yet: every rule is as published",
    )


@policy.command("show")
@click.argument("version", required=False)
@warehouse_option
@json_option
def show(version: str | None, warehouse: Path, as_json: bool) -> None:
    """Show the thresholds of VERSION (default: the one in force)."""
    rows = _versions(warehouse)
    found = next(
        (row for row in rows if row["policy_id"] == version or (not version and row["state"] == "in_force")), None
    )
    if found is None:
        if version:
            raise InputError(f"no policy version {version!r}", where="policy", do="ragsieve policy list")
        remark("no policy is in force: every rule is as published")
        result({"policy_id": None, "rules": []}, as_json=as_json)
        return
    if as_json:
        result(found, as_json=True)
        return
    result({name: value for name, value in found.items() if name != "rules"}, as_json=False)
    rules = [row | {"moves": " ".join(f"{n}={v:g}" for n, v in row["moves"].items())} for row in found["rules"]]
    table(rules, ("detector", "rule", "corpus", "encoder", "moves"), empty="no slice: every rule is as published")


def _versions(warehouse: Path) -> list[dict[str, Any]]:
    from app.services.owner_jobs import run_job

    rows: list[dict[str, Any]] = run_job(warehouse, "policies", {}, command="policy list", say=remark)["policies"]
    return rows


@policy.command("diff")
@click.argument("first", required=False)
@click.argument("second")
@warehouse_option
@json_option
def diff(first: str | None, second: str, warehouse: Path, as_json: bool) -> None:
    """Compare two versions; with one, the version in force with it. `none` stands for the rules as published."""
    from app.services.owner_jobs import run_job

    given = {"first": first, "second": second}
    found = run_job(warehouse, "policy_diff", given, command="policy diff", say=remark)
    if as_json:
        result(found, as_json=True)
        return
    rows = [
        row | {end: "as published" if row[end] is None else f"{row[end]:g}" for end in ("before", "after")}
        for row in found["changes"]
    ]
    table(rows, ("slice", "name", "before", "after", "loosens"), empty="no parameter differs")


@policy.command("save")
@click.option("--detector", type=click.Choice(("rsq", "rsg")), required=True)
@click.option("--rule", required=True, help="Preset that is changed.")
@click.option("--corpus", default="", help="Corpus of the slice; default all.")
@click.option("--retriever", default="", help="Encoder of the slice, by key or name; default all.")
@click.option("--set", "moves", multiple=True, metavar="NAME=NUMBER", help="A parameter; may be given again.")
@click.option("--clear", is_flag=True, help="Drop what this slice has set so far.")
@note_option
@yes_option
@warehouse_option
@json_option
def save(
    detector: str,
    rule: str,
    corpus: str,
    retriever: str,
    moves: tuple[str, ...],
    clear: bool,
    note: str,
    yes: bool,
    warehouse: Path,
    as_json: bool,
) -> None:
    """Save the policy in force with other parameters of one slice; names as in `ragsieve whatif`."""
    from app.services.evaluating import retriever_key
    from app.services.owning import owning
    from app.services.weighing import policy_now
    from ragsieve_core.policy import PolicyRule, changes
    from ragsieve_core.whatif.naming import parse_moves
    from warehouse import policies
    from warehouse.corpora import get_corpus

    asked = parse_moves(moves)
    if not asked and not clear:
        raise InputError("nothing to save", where="policy save", expected="--set NAME=NUMBER, or --clear")
    with owning(warehouse, command="policy save", action="save a policy") as (wh, who):
        if corpus:
            get_corpus(wh, corpus, principal=who)
        retriever = retriever_key(wh, retriever, principal=who)
        standing = policy_now(wh, principal=who)
        key = (detector, rule, corpus, retriever)
        mine = {} if clear else next((dict(one.moves) for one in standing.rules if one.key == key), {})
        rules = [one for one in standing.rules if one.key != key]
        if mine | asked:
            rules.append(PolicyRule(detector, rule, mine | asked, corpus, retriever))
        if any(change.loosens for change in changes(standing.rules, rules)):
            confirm("this may flag fewer documents; save it?", yes=yes)
        saved = policies.save_policy(wh, rules, principal=who, note=note, parent=standing.version)
    _told(saved, as_json)


@policy.command("rollback")
@click.argument("version")
@note_option
@yes_option
@warehouse_option
@json_option
def rollback(version: str, note: str, yes: bool, warehouse: Path, as_json: bool) -> None:
    """Save a new version with the thresholds of an earlier VERSION; `none` for the rules as published."""
    from app.services.owning import owning
    from warehouse import policies

    with owning(warehouse, command="policy rollback", action="roll a policy back") as (wh, who):
        confirm(f"go back to {version}? it applies from the next scan and query on", yes=yes)
        saved = policies.rollback_policy(wh, version, principal=who, note=note)
    _told(saved, as_json)


@policy.command("approve")
@click.argument("version")
@note_option
@warehouse_option
@json_option
def approve(version: str, note: str, warehouse: Path, as_json: bool) -> None:
    """Put a waiting VERSION of somebody else in force."""
    from app.services.owning import owning
    from warehouse import policies

    with owning(warehouse, command="policy approve", action="approve a policy") as (wh, who):
        saved = policies.approve_policy(wh, version, principal=who, note=note)
    _told(saved, as_json)


@policy.command("reject")
@click.argument("version")
@note_option
@warehouse_option
@json_option
def reject(version: str, note: str, warehouse: Path, as_json: bool) -> None:
    """Turn a waiting VERSION down, or withdraw your own."""
    from app.services.owning import owning
    from warehouse import policies

    with owning(warehouse, command="policy reject", action="reject a policy") as (wh, who):
        saved = policies.reject_policy(wh, version, principal=who, note=note)
    _told(saved, as_json)


def _told(saved: PolicyVersion, as_json: bool) -> None:
    from warehouse.policies import version_row

    if saved.state == "waiting":
        remark(f"waiting for another approver: ragsieve policy approve {saved.policy_id}")
    row = version_row(saved)
    result(row if as_json else {name: value for name, value in row.items() if name != "rules"}, as_json=as_json)
