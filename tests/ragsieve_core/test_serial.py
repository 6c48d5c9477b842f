"""Serial deployment on rankings small enough to follow by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.document import RankedContext, RankedDocument
from ragsieve_core.errors import InputError
from ragsieve_core.models.roles import TokenSurprisal, TokenVectors
from ragsieve_core.rsq import RankingEvidence, RSQConfig, score_ranking
from ragsieve_core.serial import InForce, RankingState, SuspectReason, deploy

CONFIG = RSQConfig(n=6, k=2)
NO_TOKENS = TokenVectors(np.zeros((0, 2), dtype=np.float32), np.zeros((0, 2), dtype=np.int32))
QUIET = TokenSurprisal(np.zeros(0, dtype=np.float32), np.zeros((0, 2), dtype=np.int32))
# A stretch of 16 improbable tokens among probable ones: far beyond the gate
LOUD = TokenSurprisal(
    np.concatenate([np.zeros(40), np.full(16, 20.0), np.zeros(40)]).astype(np.float32), np.zeros((96, 2), np.int32)
)


def ranking(*ids: str, texts: dict[str, str] | None = None) -> RankedContext:
    texts = texts or {}
    return RankedContext(
        "q", "which?", "test", tuple(RankedDocument(i, r, texts.get(i, f"text {i}")) for r, i in enumerate(ids, 1))
    )


def scorer(seen: list[RankedContext], loud: str = "bad"):
    def score(context: RankedContext) -> RankingEvidence:
        seen.append(context)
        strange = [LOUD if d.id.startswith(loud) else QUIET for d in context.documents[: CONFIG.k]]
        return score_ranking(context, strange, [NO_TOKENS] * CONFIG.n, NO_TOKENS, CONFIG)

    return score


def test_quarantine_leaves_first_and_survivors_are_renumbered() -> None:
    seen: list[RankedContext] = []
    found = deploy(
        ranking("out", "a", "held", "b", "c", "d", "e", "f", "g"),
        scorer(seen),
        InForce(quarantined={"out": "quarantine 3"}, held={"held"}),
        CONFIG,
    )
    assert [(d.id, d.rank) for d in seen[0].documents] == [(i, r) for r, i in enumerate("abcdefg", 1)]
    assert [(r.document_id, r.original_rank, r.by) for r in found.removed] == [
        ("out", 1, "quarantine"),
        ("held", 3, "hold"),
    ]
    assert [d.id for d in found.context] == ["a", "b"]
    assert found.state is RankingState.OK


def test_flagged_candidates_go_and_are_replaced_once_without_rescoring() -> None:
    seen: list[RankedContext] = []
    found = deploy(ranking("bad1", "a", "bad2", "b", "c", "d"), scorer(seen), InForce(), CONFIG)
    # bad2 moves up as a replacement; replacements are not scored again (METHOD)
    assert [d.id for d in found.context] == ["a", "bad2"]
    assert [(r.document_id, r.by) for r in found.removed] == [("bad1", "rsq")]
    assert len(seen) == 1
    assert found.refill_depth == 3


@pytest.mark.parametrize(
    ("in_force", "texts", "reason"),
    [
        (InForce(alerted={"d"}), {}, SuspectReason.OPEN_ALERT),
        (InForce(retained_neighbors={"a": {"d", "x"}}), {}, SuspectReason.RETAINED_NEIGHBOR),
        (InForce(), {"a": "one two three", "d": "Three, two: one!"}, SuspectReason.NEAR_COPY),
        (InForce(), {"a": "собака", "d": "собака"}, SuspectReason.NEAR_COPY),
    ],
)
def test_contaminated_tail_is_a_state(in_force: InForce, texts: dict[str, str], reason: SuspectReason) -> None:
    found = deploy(ranking(*"abcdef", texts=texts), scorer([]), in_force, CONFIG)
    assert found.state is RankingState.TAIL_CONTAMINATED
    assert found.tail_suspects == {"d": reason}
    assert found.contaminated_share == pytest.approx(1 / 4)


def test_labels_are_never_used() -> None:
    plain = ranking(*"abcdef")
    labelled = RankedContext(
        "q", "which?", "test", tuple(RankedDocument(d.id, d.rank, d.text, poison=True) for d in plain.documents)
    )
    found, blind = (deploy(c, scorer([]), InForce(), CONFIG) for c in (labelled, plain))
    assert (found.state, found.removed, found.tail_suspects) == (blind.state, blind.removed, blind.tail_suspects)


def test_too_short_and_empty() -> None:
    seen: list[RankedContext] = []
    short = deploy(ranking(*"abcdef"), scorer(seen), InForce(quarantined={"a": "quarantine 1"}), CONFIG)
    assert short.state is RankingState.TAIL_TOO_SHORT
    assert [d.id for d in short.context] == ["b", "c"]
    assert short.evidence is None
    gone = deploy(ranking("a"), scorer(seen), InForce(held={"a"}), CONFIG)
    assert gone.state is RankingState.EMPTY
    assert gone.context == ()
    assert seen == []


def test_a_document_ranked_twice_is_refused() -> None:
    with pytest.raises(InputError, match="'a' is ranked twice"):
        deploy(ranking("a", "b", "a"), scorer([]), InForce(), CONFIG)


@given(st.lists(st.sampled_from(["a", "bad"]), min_size=0, max_size=14), st.sets(st.integers(0, 13)))
def test_nothing_is_lost_or_doubled(kinds: list[str], out: set[int]) -> None:
    ids = [f"{kind}{i}" for i, kind in enumerate(kinds)]
    quarantined = {ids[i]: "quarantine 1" for i in out if i < len(ids)}
    found = deploy(ranking(*ids), scorer([]), InForce(quarantined=quarantined), CONFIG)
    gone = {r.document_id for r in found.removed}
    context = [d.id for d in found.context]
    assert quarantined.keys() <= gone
    assert not gone & set(context)
    left = [i for i in ids if i not in gone]
    assert context == left[: CONFIG.k]
