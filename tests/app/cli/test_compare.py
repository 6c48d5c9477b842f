"""`ragsieve compare`: the numbers of the service, words for a reader, and errors in words."""

from __future__ import annotations

import json
from collections.abc import Callable

from app.services.comparing import NONE, Version, Wanted, compared
from app.services.comparison_report import report
from ragsieve_core.policy import PolicyRule
from tests.small_warehouse import CORPUS, QUERY, Small
from warehouse.database import Warehouse
from warehouse.policies import save_policy
from warehouse.principal import local_principal


def test_the_same_numbers_as_the_service(ragsieve: Callable, stocked: Small) -> None:
    with Warehouse.open(stocked.path, command="test") as wh:
        who = local_principal()
        policy = save_policy(wh, [PolicyRule("rsq", "paper", {"eta_Q": 50.0})], principal=who).policy_id
        wanted = Wanted(CORPUS, Version(NONE), Version(NONE, policy), warehouse=stocked.path.name)
        found = report(compared(wh, wanted, principal=who))
    told = ragsieve("compare", "none", "none", "--corpus", CORPUS, "--policy-b", policy, "--json")
    assert told.exit_code == 0
    assert json.loads(told.stdout) == found
    assert found["changed"] == 3
    # The command that a report names gives that report
    again = ragsieve(*found["command"].split()[1:], "--json")
    assert json.loads(again.stdout) == found
    words = ragsieve("compare", "none", "none", "--corpus", CORPUS, "--policy-b", policy)
    assert "changed        3" in words.stdout
    assert QUERY[:40] in words.stdout
    assert "\u202e" not in words.stdout


def test_what_is_not_compared_is_said(ragsieve: Callable, stocked: Small) -> None:
    words = ragsieve("compare", "none", "none", "--corpus", CORPUS, "--rule-b", "calibrated")
    assert words.exit_code == 0
    assert "not compared: 3: scored by another rule, so the models must score again" in words.stderr
    assert "other_rule" in words.stdout


def test_errors_are_words(ragsieve: Callable, stocked: Small) -> None:
    for arguments, word in (
        (("none", "none", "--corpus", "nope"), "no corpus 'nope'"),
        (("quar_x", "none", "--corpus", CORPUS), "no quarantine version 'quar_x'"),
        (("none", "none", "--corpus", CORPUS, "--policy-a", "p"), "no policy version 'p'"),
        (("none", "none", "--corpus", CORPUS, "--rule-b", "papr"), "unknown RSQ rule 'papr'"),
        (("none", "none", "--corpus", CORPUS, "--source", "gat"), "unknown source 'gat'"),
    ):
        told = ragsieve("compare", *arguments)
        assert told.exit_code == 2, arguments
        assert word in told.stderr
        assert "Traceback" not in told.output
    empty = ragsieve("compare", "none", "none", "--corpus", CORPUS, "--source", "gate", "--json")
    assert json.loads(empty.stdout)["queries"] == 0
    assert json.loads(empty.stdout)["changed_share"] is None
