"""What is kept of a text is what would be found anew, and a ranking scored with it is the same to the last bit."""

from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.document import RankedContext, RankedDocument
from ragsieve_core.rsq import rsq_preset, score_ranking
from ragsieve_core.rsq.calibrated.text_features import calibrated_kind, calibrated_text, calibrated_texts
from ragsieve_core.rsq.record import candidate_detail, candidate_record
from tests.gate_stand_ins import QUESTION, clean_texts, features_of

KIND = calibrated_kind(2)


@given(st.text(max_size=200))
def test_comes_back_as_it_was(text: str) -> None:
    value = calibrated_text(text, 2)
    assert KIND.unpack(KIND.pack(value)) == value
    assert KIND.size(value) >= 1


def test_mixed_scripts_and_lone_surrogates_come_back() -> None:
    for text in ("in Mоscow qwחיxz 東京都 tower", "lone \ud800 surrogate", "KÜLÜG Straße the cities' lamps"):
        assert KIND.unpack(KIND.pack(calibrated_text(text, 2))) == calibrated_text(text, 2)


def test_a_ranking_scores_the_same_with_what_was_kept() -> None:
    config = rsq_preset("calibrated")
    texts = [f"{QUESTION} vancouver Мoscow", f"{QUESTION} vancouver Straße", *clean_texts(48)]
    ranked = RankedContext("q", QUESTION, "", tuple(RankedDocument(f"d{i}", i + 1, t) for i, t in enumerate(texts)))
    parts = [features_of(text) for text in texts]
    inputs = ([p.surprisal for p in parts[:5]], [p.vectors for p in parts], features_of(QUESTION).vectors, config)
    kept = [KIND.unpack(KIND.pack(value)) for value in calibrated_texts(texts, 2)]
    plain, cached = score_ranking(ranked, *inputs), score_ranking(ranked, *inputs, lexical=kept)
    for one, other in zip(plain.candidates, cached.candidates, strict=True):
        assert candidate_record(plain, one) == candidate_record(cached, other)
        assert candidate_detail(plain, one) == candidate_detail(cached, other)
