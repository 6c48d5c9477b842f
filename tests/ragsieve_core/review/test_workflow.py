"""Every step from every state: a sound state, or a refusal by name that leaves things as they were."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.errors import InputError
from ragsieve_core.review import workflow
from ragsieve_core.review.not_allowed import NotAllowedError
from ragsieve_core.review.workflow import State, claim, decide, give_back, reopen, sound, status_at

NOW = datetime(2026, 1, 1, 12)
HELD = State("claimed", "ann", NOW + timedelta(minutes=30))
EXPIRED = State("claimed", "ann", NOW)


def refused(call) -> str:
    with pytest.raises(NotAllowedError) as caught:
        call()
    return caught.value.reason


def judge(state: State, actor: str = "ann", verdict: str = "keep", **more: bool) -> State:
    return decide(state, actor, NOW, verdict=verdict, reason="benign", note="n", **more)


def test_a_claim_is_held_extended_and_taken_over() -> None:
    mine = claim(State(), "ann", NOW, minutes=30)
    assert mine == HELD
    assert claim(mine, "ann", NOW, minutes=60).expires_at == NOW + timedelta(minutes=60)
    assert refused(lambda: claim(mine, "bob", NOW, minutes=1)) == "held_by_other"
    assert claim(mine, "bob", NOW, minutes=1, takeover=True).holder == "bob"
    assert claim(EXPIRED, "bob", NOW, minutes=1).holder == "bob"
    assert give_back(mine, "ann", NOW) == State()
    assert refused(lambda: give_back(mine, "bob", NOW)) == "held_by_other"
    assert refused(lambda: give_back(EXPIRED, "ann", NOW)) == "not_claimed"
    for minutes in (0, -1, 1441):
        with pytest.raises(InputError):
            claim(State(), "ann", NOW, minutes=minutes)


def test_a_claim_ends_at_its_very_moment() -> None:
    assert status_at(EXPIRED, NOW) == "open"
    assert status_at(EXPIRED, NOW - timedelta(microseconds=1)) == "claimed"


def test_the_former_holder_is_refused_by_name_and_others_are_not() -> None:
    assert refused(lambda: judge(EXPIRED)) == "claim_expired"
    assert judge(EXPIRED, "bob").status == "decided"
    assert refused(lambda: judge(HELD, "bob")) == "held_by_other"
    assert judge(HELD).holder is None


def test_a_quarantine_waits_only_where_a_second_person_is_needed() -> None:
    assert judge(State(), verdict="quarantine").status == "decided"
    assert judge(State(), verdict="quarantine", at_once=True).status == "in_force"
    assert judge(State(), verdict="quarantine", at_once=True, second_person=True).status == "waiting"
    assert judge(State(), verdict="keep", at_once=True, second_person=True).status == "decided"


def test_what_was_settled_is_not_decided_over() -> None:
    waiting = judge(State(), verdict="quarantine", second_person=True)
    force = workflow.approve(waiting)
    closed = workflow.release(force, reason="benign")
    for state, name in ((waiting, "waiting_for_approval"), (force, "in_force"), (closed, "released")):
        assert refused(lambda state=state: judge(state)) == name
        assert refused(lambda state=state: claim(state, "ann", NOW, minutes=1)) == "already_decided"
    assert refused(lambda: workflow.approve(force)) == "not_waiting"
    assert refused(lambda: workflow.release(waiting, reason="benign")) == "not_in_force"
    assert refused(lambda: reopen(State())) == "not_decided"
    assert reopen(closed) == State()
    assert workflow.turn_down(waiting) == State()


STEPS = st.sampled_from(
    ["claim", "takeover", "back", "keep", "verify", "quarantine", "waits", "at_once", "approve", "down", "force",
     "release", "reopen"]
)  # fmt: skip


def apply(state: State, step: str, actor: str, now: datetime) -> State:
    def judged(verdict: str, **more: bool) -> State:
        return decide(state, actor, now, verdict=verdict, reason="other", **more)

    return {
        "claim": lambda: claim(state, actor, now, minutes=5),
        "takeover": lambda: claim(state, actor, now, minutes=5, takeover=True),
        "back": lambda: give_back(state, actor, now),
        "keep": lambda: judged("keep"),
        "verify": lambda: judged("needs_verification"),
        "quarantine": lambda: judged("quarantine"),
        "waits": lambda: judged("quarantine", second_person=True),
        "at_once": lambda: judged("quarantine", at_once=True),
        "approve": lambda: workflow.approve(state),
        "down": lambda: workflow.turn_down(state),
        "force": lambda: workflow.put_in_force(state),
        "release": lambda: workflow.release(state, reason="benign"),
        "reopen": lambda: reopen(state),
    }[step]()


@given(st.lists(st.tuples(STEPS, st.sampled_from(["ann", "bob"]), st.integers(0, 10)), max_size=30))
def test_no_sequence_leads_to_an_unsound_state(sequence) -> None:
    state, now = State(), NOW
    for step, actor, minutes in sequence:
        now += timedelta(minutes=minutes)
        held = status_at(state, now) == "claimed" and state.holder != actor
        try:
            after = apply(state, step, actor, now)
        except NotAllowedError:
            continue
        assert sound(after), (step, after)
        assert not (held and step in ("claim", "back", "keep", "verify", "quarantine", "waits", "at_once"))
        state = after


def test_unsound_states_are_seen() -> None:
    for state in (
        State("open", holder="ann"),
        State("claimed"),
        State("decided"),
        State("waiting", verdict="keep", reason="other"),
        State("closed", verdict="quarantine", reason="other"),
        State("open", verdict="keep"),
        State("gone", verdict="keep", reason="other"),
    ):
        assert not sound(state), state
