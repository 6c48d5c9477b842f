"""Which slice applies, and what counts as loosening."""

from __future__ import annotations

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.policy import Policy, PolicyRule, changes, parse_rules
from ragsieve_core.rsg.config import rsg_preset


def test_the_narrower_slice_wins_parameter_by_parameter() -> None:
    policy = Policy(
        "p",
        (
            PolicyRule("rsg", "paper", {"alpha_G": 0.02, "tau_e": 0.7}),
            PolicyRule("rsg", "paper", {"tau_e": 0.6}, encoder="e"),
            PolicyRule("rsg", "paper", {"tau_e": 0.8}, corpus="c"),
            PolicyRule("rsg", "paper", {"tau_l": 0.9}, corpus="c", encoder="e"),
        ),
    )
    paper = rsg_preset("paper")
    both = policy.applied(paper, "c", "e")
    assert (both.budget, both.cosine_cut, both.jaccard_ceiling) == (0.02, 0.8, 0.9)
    assert policy.applied(paper, "d", "e").cosine_cut == 0.6
    assert policy.applied(paper, "d", None).cosine_cut == 0.7
    calibrated = rsg_preset("calibrated")
    assert policy.applied(calibrated, "c", "e") == calibrated


@pytest.mark.parametrize(
    ("detector", "rule", "name", "value", "loosens"),
    [
        ("rsq", "paper", "eta_Q", 1.2, True),
        ("rsq", "paper", "eta_Q", 0.9, False),
        ("rsq", "paper", "weight.script", 0.5, True),
        ("rsq", "paper", "gate.anchor", 0.1, True),
        ("rsq", "paper", "script_support", 0.3, True),
        ("rsg", "paper", "tau_e", 0.9, True),
        ("rsg", "paper", "tau_l", 0.8, False),
        ("rsg", "paper", "alpha_G", 0.01, True),
        ("rsg", "paper", "k_G", 8, True),
        ("rsg", "paper", "density_cut", 0.75, True),
        ("rsg", "calibrated", "cut", 1.0, False),
        ("rsg", "calibrated", "cut", 1.3, True),
    ],
)
def test_direction_of_every_parameter(detector: str, rule: str, name: str, value: float, loosens: bool) -> None:
    (change,) = changes([], [PolicyRule(detector, rule, {name: value})])
    assert change.loosens is loosens


def test_leaving_a_slice_out_is_a_change_too() -> None:
    wide, narrow = PolicyRule("rsq", "paper", {"eta_Q": 0.8}), PolicyRule("rsq", "paper", {"eta_Q": 0.6}, corpus="c")
    (change,) = changes([wide, narrow], [wide])
    assert (change.before, change.after, change.loosens) == (0.6, 0.8, True)


def test_rules_go_through_json() -> None:
    rule = PolicyRule("rsg", "calibrated", {"cut": 1.4}, "c", "e")
    assert parse_rules([rule.as_dict()]) == (rule,)


def test_wrong_rules_are_refused() -> None:
    for detector, name, moves in (
        ("rsx", "paper", {"eta_Q": 1}),
        ("rsq", "papier", {"eta_Q": 1}),
        ("rsq", "paper", {"eta_X": 1}),
        ("rsq", "paper", {"eta_Q": -1}),
        ("rsq", "paper", {}),
    ):
        with pytest.raises(InputError):
            PolicyRule(detector, name, moves)
