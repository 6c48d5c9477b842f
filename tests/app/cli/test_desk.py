"""The review desk from the command line: claim, decide, undo, bulk, canary, incident, truth, blind review, roles."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ragsieve_core.publication import PublicationReader
from tests.small_warehouse import CORPUS, Small


@pytest.fixture
def call(ragsieve: Callable) -> Callable:
    def run(*arguments: str, code: int = 0) -> dict:
        done = ragsieve(*arguments, "--json")
        assert done.exit_code == code, done.output
        return json.loads(done.stdout)

    return run


def test_a_morning(call: Callable, ragsieve: Callable, stocked: Small, tmp_path: Path) -> None:
    gate = PublicationReader(f"{stocked.path}.d/published", missing="open")
    name = stocked.rsq_alert
    assert call("claim", name, "--expected-version", "1")["version"] == 2
    verdict = ("--verdict", "quarantine", "--reason", "true_positive")
    done = call("decide", name, *verdict, "--expected-version", "2", "--at-once")
    assert (done["status"], done["before"]) == ("in_force", "claimed")
    ((_, document),) = gate.read().in_force.quarantined
    seen = call("canary", "--stored")
    assert seen["still_present"] == 0
    assert seen["verified_absent"] >= 0
    stale = ragsieve("undo", name, "--expected-version", "2")
    assert stale.exit_code == 2
    assert "version 2, found 3" in stale.stderr
    assert call("undo", name, "--expected-version", "3")["status"] == "claimed"
    assert gate.read().in_force.quarantined == frozenset()
    assert call("redo", name, "--expected-version", "4")["status"] == "in_force"
    call("remediate", document, "source_notified", "--corpus", CORPUS)
    claim = call("check", "state", document, "--corpus", CORPUS, "--statement", "It was in 1987.")["claim"]
    call(
        "check", "record", claim, "--kind", "human_review", "--outcome", "supported", "--evidence", "https://a.example"
    )
    assert call("check", "list")["claims"][0]["status"] == "supported"
    out = tmp_path / "incident.zip"
    assert call("export", "incident", name, "--out", str(out))["entries"] == 15
    assert call("export", "incident", "--verify", str(out))["ok"] is True
    data = bytearray(out.read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "broken.zip").write_bytes(bytes(data))
    broken = ragsieve("export", "incident", "--verify", str(tmp_path / "broken.zip"))
    assert broken.exit_code in (1, 2)
    assert "Traceback" not in broken.output
    released = call("quarantine", "release", document, "--corpus", CORPUS, "--approve", "--yes", "--days", "30")
    assert released["members"] == 0
    assert call("alerts", "--status", "closed")["total"] >= 1


def test_bulk(call: Callable, stocked: Small) -> None:
    alerts = [row["alert_id"] for row in call("alerts")["alerts"]]
    given = ("--verdict", "keep", "--reason", "benign")
    counted = call("bulk", "decide", "--corpus", CORPUS, "--except", alerts[0], *given, "--preview")
    assert (counted["items"], counted["exceptions"], counted["decided"]) == (len(alerts) - 1, 1, len(alerts) - 1)
    done = call("bulk", "decide", "--corpus", CORPUS, "--except", alerts[0], *given, "--yes")
    assert (done["done"], done["refused"], done["left"]) == (len(alerts) - 1, 0, 0)
    assert call("bulk", "resume", done["job_id"]) == done
    assert call("bulk", "undo", done["job_id"], "--yes")["done"] == len(alerts) - 1
    assert len(call("bulk", "list")["jobs"]) == 2
    assert len(call("alerts")["alerts"]) == len(alerts)


def test_blind_review_and_roles(call: Callable, ragsieve: Callable, stocked: Small) -> None:
    nothing = call("blind", "recall", "--corpus", CORPUS)
    assert (nothing["state"], nothing["recall"]) == ("no_samples", None)
    drawn = call("blind", "draw", "--corpus", CORPUS, "--rate", "0.5", "--seed", "1")
    assert drawn["kind"] == "audit"
    assert call("blind", "recall", "--corpus", CORPUS)["state"] == "no_answers"
    assert call("blind", "quality")["agreement_n"] == 0
    assert call("roles", "set", "max@x.example", "admin")["state"] == "in_force"
    assert ragsieve("roles", "set", "max@x.example", "none").exit_code == 2
    assert call("roles", "list")["roles"][0]["approved_by"] == "single_user_mode"


@pytest.mark.parametrize(
    "arguments",
    [
        ("claim", "alert_x", "--expected-version", "1"),
        ("undo", "alert_x", "--expected-version", "1"),
        ("redo", "alert_x", "--expected-version", "1"),
        ("reopen", "alert_x", "--expected-version", "1"),
        ("bulk", "resume", "bulk_x"),
        ("bulk", "decide", "--verdict", "keep", "--reason", "benign", "--yes"),
        ("check", "record", "claim_x", "--kind", "human_review", "--outcome", "supported", "--evidence", "x"),
        ("remediate", "none", "corrected", "--corpus", CORPUS),
        ("blind", "draw", "--corpus", "nowhere"),
        ("canary", "--stored"),
        ("export", "incident", "alert_x", "--out", "x.zip"),
        ("export", "incident"),
        ("export", "incident", "--verify", "nothing.zip"),
        ("export", "labels"),
        ("export", "labels", "alert_x", "--out", "x.csv"),
        ("deliver", "https://x.example", "--secret-file", "/nowhere"),
    ],
)
def test_mistakes_are_told_without_a_trace(ragsieve: Callable, stocked: Small, arguments: tuple[str, ...]) -> None:
    done = ragsieve(*arguments)
    assert done.exit_code == 2, done.output
    assert "Traceback" not in done.output
