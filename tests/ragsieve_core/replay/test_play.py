"""Stored rankings under another version: one worked out by hand, and any ranking against serial deployment itself."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.document import RankedContext, RankedDocument
from ragsieve_core.replay.play import Side, play
from ragsieve_core.replay.rankings import StoredRankings
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.serial import InForce, deploy

SMALL = RSQConfig(n=4, k=2)
NAN = float("nan")


def stored(
    rankings: list[int], terms: list[list[float]], config: RSQConfig, was: list[bool], out: list[bool] | None = None
) -> StoredRankings:
    """Rankings of these lengths; an event is scored where one of its rows has terms."""
    event = np.repeat(np.arange(len(rankings)), rankings).astype(np.int32)
    values = np.array(terms, dtype=np.float64).reshape(-1, 4)
    scored = np.array([bool(np.isfinite(values[event == e]).any()) for e in range(len(rankings))])
    same = np.full(len(rankings), 1, dtype=np.int32)
    return StoredRankings(
        event,
        values,
        np.array(out if out is not None else [False] * event.size, dtype=np.bool_),
        np.array(was, dtype=np.bool_),
        scored,
        np.where(scored, "ok", "unscored"),
        same * config.n,
        same * config.n_least,
        same * config.k,
    )


def side(held: StoredRankings, quarantined: list[bool], config: RSQConfig, other: bool = False) -> Side:
    return Side(
        np.array(quarantined, dtype=np.bool_),
        (config,),
        np.zeros(held.events, dtype=np.int32),
        np.full(held.events, other),
        np.zeros(held.events, dtype=np.bool_),
        np.full((held.event.size, 4), NAN),
        np.full(held.events, "", dtype="<U32"),
    )


def terms_of(*totals: float | None) -> list[list[float]]:
    return [[NAN] * 4 if total is None else [total, 0.0, 0.0, 0.0] for total in totals]


def test_by_hand() -> None:
    """Six documents, two candidates, four looked at; the first candidate scores 1.2, the second 0.3."""
    held = stored([6], terms_of(1.2, 0.3, None, None, None, None), SMALL, [False] * 6)
    as_then = play(held, side(held, [False] * 6, SMALL))
    assert as_then.flagged.tolist() == [True, False, False, False, False, False]
    assert as_then.context.tolist() == [False, True, True, False, False, False]
    assert as_then.score[:2].tolist() == [1.2, 0.3]
    assert (as_then.unknown[0], as_then.state[0]) == ("", "ok")
    # A higher threshold flags nobody
    lenient = play(held, side(held, [False] * 6, RSQConfig(n=4, k=2, threshold=2.0)))
    assert lenient.context.tolist() == [True, True, False, False, False, False]
    # The sixth was not looked at: out or not, the scores hold, and refill would pass over it
    deep = play(held, side(held, [False] * 5 + [True], SMALL))
    assert (deep.unknown[0], deep.context.tolist()) == ("", as_then.context.tolist())
    # The fourth was looked at: the fifth takes its place in the tail, and the scores no longer hold
    tail = play(held, side(held, [False, False, False, True, False, False], SMALL))
    assert (tail.unknown[0], tail.state[0]) == ("ranking_changed", "ranking_changed")
    assert tail.place.tolist() == [1, 2, 3, 0, 4, 5]
    assert not tail.context.any()
    assert not tail.flagged.any()
    # Three survivors are too few to be scored, which is known without a score
    short = play(held, side(held, [True, True, True, False, False, False], SMALL))
    assert (short.unknown[0], short.state[0]) == ("", "tail_too_short")
    assert short.context.tolist() == [False, False, False, True, True, False]
    nothing = play(held, side(held, [True] * 6, SMALL))
    assert (nothing.unknown[0], nothing.state[0], nothing.context.any()) == ("", "empty", False)


def test_what_was_quarantined_then_comes_back() -> None:
    """The first was out then, so that ranks 2 and 3 were the candidates; without the quarantine they are not."""
    held = stored([6], terms_of(None, 1.2, 0.3, None, None, None), SMALL, [True] + [False] * 5)
    as_then = play(held, side(held, [True] + [False] * 5, SMALL))
    assert as_then.context.tolist() == [False, False, True, True, False, False]
    assert play(held, side(held, [False] * 6, SMALL)).unknown[0] == "ranking_changed"


def test_a_hold_stays_out_under_every_version() -> None:
    out = [True] + [False] * 5
    held = stored([6], terms_of(None, 0.1, 0.3, None, None, None), SMALL, [False] * 6, out)
    assert play(held, side(held, [False] * 6, SMALL)).place.tolist() == [0, 1, 2, 3, 4, 5]


def test_reasons() -> None:
    """Never scored; scored by another rule; scored anew since."""
    never = stored([6], terms_of(*[None] * 6), SMALL, [False] * 6)
    assert play(never, side(never, [False] * 6, SMALL)).unknown[0] == "never_scored"
    held = stored([6], terms_of(1.2, 0.3, None, None, None, None), SMALL, [False] * 6)
    assert play(held, side(held, [False] * 6, SMALL, other=True)).unknown[0] == "other_rule"
    deeper = RSQConfig(n=5, k=2)
    assert play(held, side(held, [False] * 6, deeper)).unknown[0] == "other_rule"
    anew = side(held, [True] + [False] * 5, SMALL)
    anew.scored_anew[0], anew.state[0] = True, "tail_contaminated"
    anew.terms[1], anew.terms[2] = (0.2, 0, 0, 0), (3, 0, 0, 0)
    found = play(held, anew)
    assert (found.unknown[0], found.state[0]) == ("", "tail_contaminated")
    # The stored 0.3 of the second is not reused: it scores 0.2 now, and the third leaves
    assert found.score[1:3].tolist() == [0.2, 3.0]
    assert found.context.tolist() == [False, True, False, True, False, False]


def test_a_short_tail_is_said() -> None:
    config = SimpleNamespace(n=4, n_least=3, k=2)
    held = stored([5], terms_of(0.1, 0.3, None, None, None), config, [False] * 5)  # type: ignore[arg-type]
    found = play(held, side(held, [True, True, False, False, False], config))  # type: ignore[arg-type]
    assert (found.tail_short[0], found.unknown[0]) == (True, "ranking_changed")
    assert not play(held, side(held, [False] * 5, SMALL)).tail_short[0]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_ranking_is_played_as_serial_deployment_plays_it(data: st.DataObject) -> None:
    """Against `ragsieve_core.serial.deploy`, which knows nothing of columns: equal wherever the outcome is known."""
    lengths = data.draw(st.lists(st.integers(0, 9), min_size=1, max_size=4))
    total = sum(lengths)
    bits = st.lists(st.booleans(), min_size=total, max_size=total)
    was, now, held_out = data.draw(bits), data.draw(bits), data.draw(bits)
    held_out = [out and data.draw(st.booleans()) for out in held_out]
    scores = data.draw(st.lists(st.sampled_from([0.2, 0.9, 1.0, 1.7]), min_size=total, max_size=total))
    threshold = data.draw(st.sampled_from([0.5, 1.0, 1.5]))
    config = RSQConfig(n=4, k=2, threshold=threshold)
    terms: list[list[float]] = []
    start = 0
    for length in lengths:
        place = 0
        left = sum(not (was[start + i] or held_out[start + i]) for i in range(length))
        for row in range(start, start + length):
            place += not (was[row] or held_out[row])
            candidate = not (was[row] or held_out[row]) and place <= 2 and left >= 4
            terms += terms_of(scores[row] if candidate else None)
        start += length
    held = stored(lengths, terms, SMALL, was, held_out)
    found = play(held, side(held, now, config))
    start = 0
    for event, length in enumerate(lengths):
        rows = range(start, start + length)
        context = RankedContext(
            "q", "q", "", tuple(RankedDocument(str(row), i + 1, f"t{row}") for i, row in enumerate(rows))
        )
        then = [row for row in rows if not (was[row] or held_out[row])][:4]
        force = InForce(
            {str(row): "v" for row in rows if now[row]}, frozenset(str(row) for row in rows if held_out[row])
        )

        def score(left: RankedContext, then: list[int] = then) -> SimpleNamespace:
            assert [int(d.id) for d in left.documents[:4]] == then
            own = [SimpleNamespace(document_id=d.id, score=scores[int(d.id)], flagged=scores[int(d.id)] >= threshold)
                   for d in left.documents[:2]]  # fmt: skip
            return SimpleNamespace(candidates=own, tail_ids=tuple(d.id for d in left.documents[2:4]))

        start += length
        if found.unknown[event]:
            # Another ranking would be scored than the stored one, or none was stored
            left = [row for row in rows if not (now[row] or held_out[row])]
            assert len(left) >= 4
            assert left[:4] != then or len(then) < 4
            continue
        result = deploy(context, score, force, config)  # type: ignore[arg-type]
        assert [row for row in rows if found.context[row]] == [int(d.id) for d in result.context]
        assert found.state[event] == result.state.value


def test_scores_of_other_documents_than_the_candidates_do_not_count() -> None:
    """A gate passed over the second and scored the first and third, yet left the second in."""
    held = stored([6], terms_of(1.2, None, 0.3, None, None, None), SMALL, [False] * 6)
    found = play(held, side(held, [False] * 6, SMALL))
    assert (found.unknown[0], found.context.any()) == ("never_scored", False)
