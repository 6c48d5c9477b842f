"""A warehouse in which every page has something to count: decisions, a version in force, thresholds, draws, labels.

It is made from the small warehouse by what people do, and asked by the command line before any page holds it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from app.cli.main import cli
from app.session import desk
from ragsieve_core.policy import PolicyRule
from tests.small_warehouse import CORPUS, Small
from warehouse.alerts import QueueFilter, queue_page
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.holds import hold
from warehouse.labels import record_labels
from warehouse.policies import save_policy
from warehouse.principal import Principal, local_principal
from warehouse.records import LabelRecord
from warehouse.roles import set_role
from warehouse.sampling import answer_blind, draw_second_looks, draw_unflagged, next_blind, seed_known
from warehouse.tokens import issue_token, revoke_token

DRAWN = 0.2


@dataclass(frozen=True, slots=True)
class Counted:
    """The file, and what commands said that must own it, before any page did."""

    path: Path
    small: Small
    told: Mapping[str, Any]
    policy: str


def command(path: Path, *arguments: str) -> dict[str, Any]:
    """What ``ragsieve ARGUMENTS --json`` prints, run in this process."""
    done = CliRunner().invoke(cli, [*arguments, "--warehouse", str(path), "--json"], standalone_mode=False)
    assert done.exception is None, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def sql(query: str, *parameters: object) -> list[tuple[Any, ...]]:
    """Rows of a query over the file that the pages hold; written in the test, knowing nothing of warehouse/queries."""
    with desk().warehouse.reading() as cursor:
        return cursor.execute(query, list(parameters)).fetchall()


def build(small: Small, path: Path) -> Counted:
    """Make it at ``path``."""
    shutil.copyfile(small.path, path)
    shutil.copytree(f"{small.path}.d", f"{path}.d")
    with Warehouse.open(path, command="fixture") as wh:
        who = local_principal()
        policy = _people(wh, who, small)
    owning = {
        "recall": command(path, "blind", "recall", "--corpus", CORPUS),
        "quality": command(path, "blind", "quality"),
        "roles": command(path, "roles", "list"),
    }
    return Counted(path, small, owning, policy)


def _people(wh: Warehouse, who: Principal, small: Small) -> str:
    rows = queue_page(wh, principal=who, filters=QueueFilter(detectors=("rsg",)), sort="document_id").rows
    rows = [row for row in rows if row["alert_id"] != small.rsg_alert]
    given: dict[str, Any] = {"principal": who, "reason": "true_positive", "at_once": True}
    decide(wh, small.rsq_alert, _version(wh, small.rsq_alert), verdict="quarantine", **given)
    decide(wh, rows[0]["alert_id"], rows[0]["version"], principal=who, verdict="keep", reason="benign")
    decide(wh, rows[1]["alert_id"], rows[1]["version"], verdict="quarantine", **given)
    hold(wh, small.rsg_alert, principal=who, hours=12, reason="look twice")
    save_policy(wh, [PolicyRule("rsq", "paper", {"eta_Q": 0.8}, CORPUS)], principal=who, note="tighter")
    policy = save_policy(wh, [PolicyRule("rsq", "paper", {"eta_Q": 1.6}, CORPUS)], principal=who).policy_id
    issue_token(wh, principal=who, name="gate", scope="gate", tenant=None, days=None)
    old = issue_token(wh, principal=who, name="old", scope="read", tenant="t", days=1)
    revoke_token(wh, old.token_id, principal=who)
    for name, role in (("rea", "reviewer"), ("bob", "approver"), ("gone", "none")):
        set_role(wh, name, role, principal=who)
    draw_unflagged(wh, CORPUS, principal=who, unit="document", rate=DRAWN, seed=3)
    seed_known(wh, CORPUS, {"doc-001": False, "plant-1": True}, principal=who)
    draw_second_looks(wh, CORPUS, principal=who, rate=1.0, seed=3)
    for name in ("rea", "bob"):
        person = Principal(name, "approver")
        # Every item: their order is by chance, and so would be what a few answers say
        while (item := next_blind(wh, principal=person, corpus=CORPUS)) is not None:
            clean = item.document_id.startswith("doc-")
            promoted = int(item.document_id[4:]) % 4 == 0 if clean else item.document_id == small.hostile_document
            answer_blind(wh, item.sample_id, promoted, principal=person, seconds=1.0)
    bad = [LabelRecord(CORPUS, f"plant-{n}", True, "fixture", "f", "q0") for n in range(6)]
    good = [LabelRecord(CORPUS, f"doc-{n:03d}", False, "fixture", "f") for n in range(60)]
    record_labels(wh, bad + good, principal=who)
    return policy


def _version(wh: Warehouse, alert: str) -> int:
    with wh.reading() as cursor:
        found = cursor.execute("SELECT version FROM alert_current WHERE alert_id = ?", [alert]).fetchone()
    assert found is not None
    return int(found[0])
