"""Anchors near the question, by hand and against SciPy."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from ragsieve_core.rsq import CalibratedRSQConfig, DocumentFrequencies
from ragsieve_core.rsq.anchor import simes
from ragsieve_core.rsq.calibrated.anchor import NearbyAnchors, nearby_anchors, weighted_simes
from ragsieve_core.rsq.calibrated.copies import representatives
from ragsieve_core.rsq.calibrated.sides import Sides

QUERY = "who kept the lamp of vennick"
CONFIG = CalibratedRSQConfig()
FILLER = "elsewhere boats carried salt and rope between quays while gulls slept"


def score(texts: list[str], config: CalibratedRSQConfig = CONFIG) -> list[NearbyAnchors]:
    counts = DocumentFrequencies(1000, {"who": 900, "the": 990, "kept": 100, "lamp": 10, "vennick": 2})
    return nearby_anchors(QUERY, texts, representatives(texts, config), Sides.of(len(texts), config), counts, config)


def clean(number: int) -> list[str]:
    return [f"page{i} tells{i} of ships{i} and winds{i}" for i in range(number)]


def claims(number: int) -> list[str]:
    return [f"The lamp of Vennick kept{i} by Grist own{i} telling{i} thing{i} word{i}" for i in range(number)]


def test_five_agreeing_candidates_are_full_evidence() -> None:
    found = score(claims(5) + clean(45))
    # grist: 5 of 5, none in 40; C(45, 5) = 1,221,759 draws, one of them this
    token = found[0].tokens[0]
    assert (token.token, token.x, token.K, token.head, token.compared) == ("grist", 5, 5, 5, 45)
    assert token.p == pytest.approx(1 / math.comb(45, 5))
    assert token.weight == pytest.approx(math.log(1001))
    # who 0.1, kept 2.3, the 0.0, lamp 4.5, vennick 5.8: all but who and kept stand in the window
    weights = [math.log(1001 / n) for n in (901, 101, 991, 11, 3)]
    assert found[0].coverage == pytest.approx(sum(weights[2:]) / sum(weights))
    assert found[0].e_anchor == pytest.approx(2.0 * min(1.0, found[0].coverage / 0.8))


def test_two_agreeing_documents_never_reach_the_threshold() -> None:
    found = score(claims(2) + clean(48))
    p = hypergeom.sf(1, 45, 2, 5)
    assert found[0].p_anchor == pytest.approx(p)
    assert found[0].e_anchor <= 2 * -math.log10(p) / CONFIG.anchor_scale < 1.0
    assert found[2].e_anchor == 0.0


def test_words_far_from_the_question_do_not_count() -> None:
    far = " ".join(f"pad{i}" for i in range(60))
    texts = [f"The lamp of Vennick kept{i}. {far} {i} Grist" for i in range(5)]
    found = score(texts + clean(45))
    assert "grist" not in {token.token for token in found[0].tokens}
    assert all(end < texts[0].index("Grist") for _, end in found[0].windows[:1])


def test_candidates_and_guard_together_where_poison_is_split() -> None:
    planted = claims(6)
    texts = [*planted[:2], *clean(3), *planted[2:], clean(4)[3], *(f"tail{i} text{i}" for i in range(40))]
    token = score(texts)[0].tokens[0]
    assert (token.token, token.x, token.head, token.compared) == ("grist", 6, 10, 50)
    assert token.p == pytest.approx(hypergeom.sf(5, 50, 6, 10))


def test_poison_in_the_guard_does_not_weaken_the_contrast() -> None:
    assert score(claims(10) + clean(40))[0].e_anchor == pytest.approx(score(claims(5) + clean(45))[0].e_anchor)


def test_copies_are_one_voice_and_carry_its_evidence() -> None:
    same = claims(1)[0]
    found = score([same, same + "!", *clean(48)])
    assert found[0].tokens == found[1].tokens == ()
    three = score([same, same + "!", *claims(3)[1:], *clean(46)])
    assert three[0].tokens[0].x == 3
    assert three[1].e_anchor == three[0].e_anchor


def test_a_question_of_unknown_weight_gives_nothing() -> None:
    texts = claims(5) + clean(45)
    counts = DocumentFrequencies(0, {})
    sides = Sides.of(50, CONFIG)
    found = nearby_anchors("?!", texts, list(range(50)), sides, counts, CONFIG)
    assert [one.e_anchor for one in found] == [0.0] * 5
    assert [one.windows for one in found] == [()] * 5


def test_a_ranking_shorter_than_candidates_and_tail() -> None:
    found = score(claims(3) + clean(17))
    assert found[0].tokens[0].compared == 15
    assert found[0].tokens[0].p == pytest.approx(hypergeom.sf(2, 15, 3, 5))


@given(st.lists(st.floats(1e-9, 1.0), min_size=1, max_size=8))
def test_equal_weights_give_simes(values: list[float]) -> None:
    assert weighted_simes([(p, 3.0) for p in values]) == pytest.approx(simes(values))


def test_weightless_words_neither_help_nor_harm() -> None:
    assert weighted_simes([(0.01, 2.0), (0.5, 0.0), (1e-9, 0.0)]) == pytest.approx(0.01)
    assert weighted_simes([]) == weighted_simes([(0.01, 0.0)]) == 1.0


def test_windows_are_spans_of_the_text_itself() -> None:
    text = "İ\u00adstanbul. " + claims(1)[0]
    found = score([text, *claims(3)[1:], *clean(47)])
    start, end = found[0].windows[0]
    assert text[start:end] == text
