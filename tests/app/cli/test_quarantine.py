"""From an alert to what gates in other processes read, and back."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from ragsieve_core.publication import PublicationReader
from tests.small_warehouse import CORPUS, Small


@pytest.fixture
def gate(stocked: Small) -> PublicationReader:
    """A gate that was started before anything was published, and goes on reading."""
    return PublicationReader(f"{stocked.path}.d/published", missing="open")


@pytest.fixture
def call(ragsieve: Callable) -> Callable:
    def run(*arguments: str) -> dict:
        done = ragsieve(*arguments, "--json")
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    return run


def decided(call: Callable, alert: str) -> dict:
    given = ("--verdict", "quarantine", "--reason", "true_positive", "--expected-version", "1")
    return call("decide", alert, *given)


def test_decide_propose_approve_release_rollback(call: Callable, stocked: Small, gate: PublicationReader) -> None:
    verdict = decided(call, stocked.rsg_alert)
    assert (verdict["status"], verdict["verdict"], verdict["before"]) == ("decided", "quarantine", "open")
    proposal = call("quarantine", "propose", "--decided", "--note", "first")
    assert (proposal["state"], proposal["members"], proposal["added"]) == ("proposed", 1, 1)
    assert gate.read().in_force.quarantined == frozenset()
    change = call("quarantine", "diff", proposal["quarantine_id"])
    [[corpus, document]] = change["added"]
    assert (corpus, change["removed"]) == (CORPUS, [])
    first = call("quarantine", "approve", proposal["quarantine_id"], "--yes")
    assert (first["state"], first["approved_by"]) == ("in_force", "single_user_mode")
    seen = gate.read()
    assert seen.in_force.quarantined == {(CORPUS, document)}
    released = call("quarantine", "release", document, "--corpus", CORPUS, "--approve", "--yes")
    assert (released["members"], released["removed"]) == (0, 1)
    assert gate.read().in_force.quarantined == frozenset()
    assert gate.read().in_force.number > seen.in_force.number
    back = call("quarantine", "rollback", first["quarantine_id"], "--approve", "--yes")
    assert (back["restores_id"], back["state"]) == (first["quarantine_id"], "in_force")
    assert gate.read().in_force.quarantined == {(CORPUS, document)}
    states = [version["state"] for version in call("quarantine", "list")["versions"]]
    assert states == ["in_force", "superseded", "superseded"]
    between = call("quarantine", "diff", first["quarantine_id"], released["quarantine_id"])
    assert between["removed"] == [[CORPUS, document]]


def test_a_hold_is_seen_and_ended(call: Callable, ragsieve: Callable, stocked: Small, gate: PublicationReader) -> None:
    made = call("quarantine", "hold", stocked.rsg_alert, "--reason", "looks bad", "--hours", "2")
    assert (CORPUS, made["document"]) in gate.read().in_force.held
    [listed] = call("quarantine", "list")["holds"]
    assert listed["hold_id"] == made["hold"]
    call("quarantine", "end-hold", made["hold"])
    assert not gate.read().in_force.held
    again = ragsieve("quarantine", "end-hold", made["hold"])
    assert (again.exit_code, "ended already" in again.stderr) == (2, True)
    assert ragsieve("quarantine", "hold", stocked.rsg_alert, "--reason", "x", "--hours", "9999").exit_code == 2


def test_the_second_decision_is_told_of_the_first(call: Callable, ragsieve: Callable, stocked: Small) -> None:
    decided(call, stocked.rsq_alert)
    late = ragsieve(
        "decide", stocked.rsq_alert, "--verdict", "keep", "--reason", "benign", "--expected-version", "1", "--note", "n"
    )
    assert late.exit_code == 2
    assert "set this alert to quarantine" in late.stderr
    assert "version 1, found 2" in late.stderr
    [row] = call("alerts", "--status", "decided")["alerts"]
    assert (row["alert_id"], row["verdict"], row["version"]) == (stocked.rsq_alert, "quarantine", 2)


def test_an_approval_asks_and_shows_what_it_changes(ragsieve: Callable, call: Callable, stocked: Small) -> None:
    proposal = call("quarantine", "propose", stocked.rsg_alert)
    asked = ragsieve("quarantine", "approve", proposal["quarantine_id"])
    assert asked.exit_code == 2
    assert "--yes" in asked.stderr
    assert "1 documents in, 0 out" in asked.stderr
    assert call("quarantine", "list")["versions"][0]["state"] == "proposed"
    assert call("quarantine", "reject", proposal["quarantine_id"])["state"] == "rejected"
    late = ragsieve("quarantine", "approve", proposal["quarantine_id"], "--yes")
    assert (late.exit_code, "the version is rejected" in late.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("propose",), "which alerts?"),
        (("propose", "alert_nowhere"), "alert_nowhere"),
        (("propose", "--decided"), "no alert has the verdict quarantine"),
        (("approve", "quar_nowhere", "--yes"), "no quarantine version"),
        (("diff", "quar_nowhere"), "no quarantine version"),
        (("rollback", "quar_nowhere"), "no quarantine version"),
        (("release", "doc-001", "--corpus", CORPUS), "is not quarantined"),
        (("end-hold", "hold_nowhere"), "no hold"),
    ],
)
def test_what_does_not_exist_is_named(
    ragsieve: Callable, stocked: Small, arguments: tuple[str, ...], said: str
) -> None:
    done = ragsieve("quarantine", *arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.output


def test_lists_as_text_hold_no_control_character(ragsieve: Callable, stocked: Small) -> None:
    for arguments in (("alerts", "--all"), ("quarantine", "list"), ("corpus", "list"), ("token", "list")):
        done = ragsieve(*arguments)
        assert done.exit_code == 0
        assert not [c for c in done.stdout if (ord(c) < 32 and c != "\n") or "\u202a" <= c <= "\u202e"]
