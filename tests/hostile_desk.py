"""The worst strings in every field that people and machines of the desk fill in, stored through the real interfaces.

`small_warehouse.build(worst=True)` puts them into documents and queries; this adds claims, verdicts, holds, versions,
roles, tokens, policies, saved views, samples, labels, statements, receipts, bulk jobs and console jobs.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

from ragsieve_core.policy import PolicyRule
from ragsieve_core.review.approval import ReviewPolicy
from tests.small_warehouse import HOSTILE_CORPUS, HOSTILE_NAME, HOSTILE_TENANT, HOSTILE_WORDS
from warehouse.alerts import queue_page
from warehouse.bulk import BulkAct, preview, run, start
from warehouse.canary import CanaryQuery, Replayed, run_canary
from warehouse.claims import claim
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.holds import hold
from warehouse.index_export import Receipt, record_receipt
from warehouse.labels import record_labels
from warehouse.policies import save_policy
from warehouse.principal import Principal, local_principal
from warehouse.quarantine import current_version, propose, publish_version
from warehouse.records import LabelRecord
from warehouse.remediation import record_remedy
from warehouse.roles import set_policy, set_role
from warehouse.sampling import answer_blind, draw_second_looks, draw_unflagged, next_blind, seed_known
from warehouse.scans import record_failed_scan
from warehouse.tokens import issue_token
from warehouse.truth import record_check, state_claim
from warehouse.views import save_view

EVE = Principal(HOSTILE_NAME, "admin", mode="single_user_mode")
LINK = "https://x.example/![e](http://127.0.0.1:9/e.png)<img src=x onerror=alert(9)>\u202e"


def worsen(path: Path, first: str) -> dict[str, str]:
    """Fill the desk of the warehouse at ``path``; the document ``first`` gets all that leaves its alert undecided.

    Returns
    -------
    Ids for addresses: ``held`` (RSQ alert of ``first``), ``rsg`` (its RSG alert), ``decided``, ``in_force``,
    ``version`` (in force), ``job`` (bulk), ``event`` (ranked ``first``).
    """
    with Warehouse.open(path, command="fixture") as wh:
        rows = queue_page(wh, principal=EVE, limit=250).rows
        alerts = {(row["detector"], row["document_id"]): row for row in rows}
        planted = sorted({row["document_id"] for row in rows if row["document_id"].startswith("plant-")} - {first})
        mine, other = alerts["rsq", first], alerts["rsg", first]
        _machines(wh)
        _people(wh)
        claim(wh, mine["alert_id"], int(mine["version"]), principal=EVE)
        hold(wh, mine["alert_id"], principal=EVE, hours=24, reason=HOSTILE_WORDS)
        _truth(wh, first)
        kept, gone, released = ([row for row in rows if row["document_id"] == name] for name in planted[:3])
        for row, verdict, reason in (
            (kept[0], "keep", "benign"),
            *((row, "quarantine", "true_positive") for row in gone),
        ):
            decide(wh, row["alert_id"], int(row["version"]), principal=EVE, verdict=verdict, reason=reason,
                   note=HOSTILE_WORDS, at_once=verdict == "quarantine")  # fmt: skip
        for row in released:
            decide(wh, row["alert_id"], int(row["version"]), principal=EVE, verdict="quarantine",
                   reason="true_positive", note=HOSTILE_WORDS, at_once=True)  # fmt: skip
        name = (HOSTILE_CORPUS, released[0]["document_id"])
        publish_version(wh, propose(wh, principal=EVE, remove=[name], note=HOSTILE_WORDS).quarantine_id, principal=EVE)
        version = current_version(wh, principal=EVE)
        assert version is not None
        run_canary(wh, version.quarantine_id, principal=EVE, replay=_not_replayed)
        record_receipt(wh, version.quarantine_id, _receipt(), principal=EVE)
        left = [row for row in rows if row["document_id"] in planted[3:]]
        job = _bulk(wh, [row["alert_id"] for row in left[:1]])
        propose(wh, principal=EVE, add=[left[0]["alert_id"]], note=HOSTILE_WORDS)
        _samples(wh, planted)
        with wh.reading() as cursor:
            query = "SELECT event_id FROM event_ranking WHERE document_id = ? ORDER BY event_id LIMIT 1"
            ((event,),) = cursor.execute(query, [first]).fetchall()
        _console_job(wh)
    return {
        "held": mine["alert_id"],
        "rsg": other["alert_id"],
        "decided": kept[0]["alert_id"],
        "in_force": gone[0]["alert_id"],
        "version": version.quarantine_id,
        "job": job,
        "event": event,
    }


def _machines(wh: Warehouse) -> None:
    with wh.reading() as cursor:
        ((snapshot,),) = cursor.execute("SELECT snapshot_id FROM snapshots LIMIT 1").fetchall()
    record_failed_scan(
        wh, snapshot=snapshot, detector="rsg", rule="paper", config={}, config_key="broken", threshold=0.5,
        code_version="1", started_at=datetime(2026, 1, 2), seconds=0.1, error=HOSTILE_WORDS, principal=EVE,
    )  # fmt: skip


def _people(wh: Warehouse) -> None:
    set_role(wh, HOSTILE_NAME, "admin", principal=EVE, note=HOSTILE_WORDS)
    set_role(wh, HOSTILE_WORDS, "reviewer", principal=EVE, tenants=[HOSTILE_TENANT], note=HOSTILE_WORDS)
    issue_token(wh, principal=EVE, name=HOSTILE_WORDS, scope="gate", tenant=HOSTILE_TENANT)
    set_policy(wh, ReviewPolicy(claim_minutes=31), principal=EVE, note=HOSTILE_WORDS)
    save_policy(wh, [PolicyRule("rsq", "paper", {"eta_Q": 0.9}, HOSTILE_CORPUS)], principal=EVE, note=HOSTILE_WORDS)
    save_view(
        wh, HOSTILE_NAME[:60], {"search": [HOSTILE_NAME], "corpus": [HOSTILE_CORPUS]}, principal=local_principal()
    )


def _truth(wh: Warehouse, document: str) -> None:
    stated = state_claim(wh, HOSTILE_CORPUS, document, principal=EVE, statement=HOSTILE_WORDS)
    record_check(
        wh, stated, principal=EVE, kind="human_review", outcome="contradicted", evidence=[LINK], note=HOSTILE_WORDS
    )
    record_remedy(wh, HOSTILE_CORPUS, document, "source_notified", principal=EVE, evidence=[LINK], note=HOSTILE_WORDS)


def _bulk(wh: Warehouse, alerts: list[str]) -> str:
    act = BulkAct("decide", "quarantine", "true_positive", HOSTILE_WORDS)
    job = start(wh, act, preview(wh, act, principal=EVE, alerts=alerts), principal=EVE)
    run(wh, job, principal=EVE)
    return job


def _not_replayed(queries: list[CanaryQuery], _: object) -> list[Replayed]:
    return [Replayed(None, "not_replayed", HOSTILE_WORDS) for _ in queries]


def _receipt() -> Receipt:
    return Receipt(LINK, "0" * 64, "n", 5, "refused", 500, HOSTILE_WORDS, HOSTILE_WORDS)


def _samples(wh: Warehouse, planted: list[str]) -> None:
    labels = [
        LabelRecord(HOSTILE_CORPUS, name, True, "fixture", HOSTILE_WORDS, attack=HOSTILE_WORDS) for name in planted
    ]
    labels += [LabelRecord(HOSTILE_CORPUS, f"doc-{n:03d}", False, "fixture", HOSTILE_WORDS) for n in range(60)]
    record_labels(wh, labels, principal=EVE)
    seed_known(wh, HOSTILE_CORPUS, {planted[0]: True}, principal=EVE)
    item = next_blind(wh, principal=EVE)
    assert item is not None
    answer_blind(wh, item.sample_id, True, principal=EVE, seconds=3.0, note=HOSTILE_WORDS)
    seed_known(wh, HOSTILE_CORPUS, {planted[0]: True}, principal=EVE)
    draw_unflagged(wh, HOSTILE_CORPUS, principal=EVE, rate=0.1, seed=1)
    draw_second_looks(wh, HOSTILE_CORPUS, principal=EVE, rate=1.0, seed=1)


def _console_job(wh: Warehouse) -> None:
    folder = wh.side.folder("console") / "job_0000"
    folder.mkdir()
    about = {"kind": "ingest", "what": HOSTILE_WORDS, "by": HOSTILE_NAME, "started_at": "2026-01-02T03:04:05"}
    (folder / "job.json").write_text(json.dumps(about))
    (folder / "ended.json").write_text(json.dumps({"code": 2, "at": "2026-01-02T03:05:05"}))
    (folder / "said.txt").write_text(f"error: {HOSTILE_WORDS}\n{'x' * 3000}", encoding="utf-8")
    (folder / "result.json").write_text("")
