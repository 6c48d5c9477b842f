"""Undo and redo as steps of a history, against a plain list of snapshots."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.review.not_allowed import NotAllowedError
from ragsieve_core.review.undo import Step, chain, proposers, to_redo, to_undo
from ragsieve_core.review.workflow import State

OPEN = State()
KEEP = State("decided", verdict="keep", reason="benign", note="a")
WAIT = State("waiting", verdict="quarantine", reason="true_positive")
FORCE = State("in_force", verdict="quarantine", reason="true_positive")


def history(*steps: tuple[str, str, State]) -> list[Step]:
    return [
        Step(seq, kind, actor, state) for seq, (kind, actor, state) in enumerate((("opened", "m", OPEN), *steps), 1)
    ]


def refused(call) -> str:
    with pytest.raises(NotAllowedError) as caught:
        call()
    return caught.value.reason


def test_the_state_before_is_restored_whole() -> None:
    held = State("claimed", "ann", None)
    steps = history(("claimed", "ann", held), ("decided", "ann", KEEP))
    assert to_undo(chain(steps), "ann").before == held
    steps.append(Step(9, "undone", "ann", held))
    assert refused(lambda: to_undo(chain(steps), "ann")) == "nothing_to_undo"
    assert to_redo(chain(steps), "ann").step.state == KEEP


def test_an_approval_is_undone_with_what_it_approved() -> None:
    steps = history(("decided", "ann", WAIT), ("approved", "bob", FORCE))
    assert to_undo(chain(steps), "ann").before == OPEN


def test_others_are_a_conflict() -> None:
    steps = history(("decided", "ann", KEEP))
    assert refused(lambda: to_undo(chain(steps), "bob")) == "undo_conflict"
    assert to_undo(chain(steps), "bob", any_author=True).before == OPEN
    steps += [Step(8, "undone", "ann", OPEN), Step(9, "claimed", "bob", State("claimed", "bob"))]
    assert refused(lambda: to_redo(chain(steps), "ann")) == "undo_conflict"
    steps[-1] = Step(9, "claimed", "ann", State("claimed", "ann"))
    assert to_redo(chain(steps), "ann").step.state == KEEP


@pytest.mark.parametrize("kind", ["turned_down", "released", "rolled_back", "expired", "realerted"])
def test_what_others_settled_ends_the_chain(kind: str) -> None:
    steps = history(("decided", "ann", WAIT), (kind, "bob", OPEN))
    assert refused(lambda: to_undo(chain(steps), "ann")) == "nothing_to_undo"
    assert refused(lambda: to_redo(chain(steps), "ann")) == "nothing_to_redo"
    assert proposers(steps) == frozenset()


def test_every_proposer_is_kept() -> None:
    steps = history(
        ("decided", "ann", WAIT), ("undone", "ann", OPEN), ("claimed", "bob", State("claimed", "bob")),
        ("redone", "bob", WAIT),
    )  # fmt: skip
    assert proposers(steps) == {"ann", "bob"}
    assert proposers([*steps, Step(9, "turned_down", "cy", OPEN), Step(10, "decided", "cy", WAIT)]) == {"cy"}


@given(st.lists(st.sampled_from(["decide", "reopen", "undo", "redo", "claim"]), max_size=40))
def test_like_a_list_of_snapshots(acts: list[str]) -> None:
    """One person: undo and redo walk back and forth in what a plain editor would keep."""
    steps = history()
    past: list[tuple[State, State]] = []
    future: list[tuple[State, State]] = []
    for number, act in enumerate(acts):
        now = steps[-1].state
        found = chain(steps)
        if act == "claim":
            steps.append(Step(len(steps) + 1, "claimed", "ann", State("claimed", "ann")))
        elif act in ("decide", "reopen"):
            state = State("decided", verdict="keep", reason="other", note=str(number)) if act == "decide" else OPEN
            steps.append(Step(len(steps) + 1, "decided" if act == "decide" else "reopened", "ann", state))
            past, future = [*past, (now, state)], []
        elif act == "undo":
            if not past:
                assert refused(lambda found=found: to_undo(found, "ann")) == "nothing_to_undo"
                continue
            before, after = past.pop()
            change = to_undo(found, "ann")
            assert (change.before, change.step.state) == (before, after)
            steps.append(Step(len(steps) + 1, "undone", "ann", before))
            future.append((before, after))
        else:
            if not future:
                assert refused(lambda found=found: to_redo(found, "ann")) == "nothing_to_redo"
                continue
            _, after = future.pop()
            assert to_redo(found, "ann").step.state == after
            steps.append(Step(len(steps) + 1, "redone", "ann", after))
            past.append((now, after))
