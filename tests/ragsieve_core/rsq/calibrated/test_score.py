"""A whole ranking by the calibrated rule."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ragsieve_core.document import RankedContext, RankedDocument
from ragsieve_core.errors import InputError
from ragsieve_core.models.roles import TokenSurprisal, TokenVectors
from ragsieve_core.rsq import CalibratedRSQConfig, DocumentFrequencies, RankingEvidence, rsq_preset, score_ranking
from ragsieve_core.rsq.record import candidate_detail, candidate_record

QUERY = "who kept the lamp of vennick"
CONFIG = CalibratedRSQConfig()
PLANTED = [f"Who kept the lamp of Vennick? Grist, own{i} word{i} tale{i}" for i in range(5)]
CLEAN = [f"page{i} tells{i} of ships{i} and winds{i}" for i in range(60)]


def vectors(tokens: int, seed: int = 0) -> TokenVectors:
    drawn = np.random.default_rng(seed).normal(size=(tokens, 8)).astype(np.float32)
    unit = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return TokenVectors(unit, np.zeros((tokens, 2), np.int32))


def run(texts: list[str], nll: np.ndarray | None = None, *, counted: bool = True) -> RankingEvidence:
    flat = np.full(60, 3.0, np.float32)
    documents = tuple(RankedDocument(f"d{i}", i, text) for i, text in enumerate(texts, start=1))
    strange = [
        TokenSurprisal(one, np.zeros((one.size, 2), np.int32)) for one in (flat if nll is None else nll, *[flat] * 4)
    ]
    return score_ranking(
        RankedContext("q", QUERY, "c", documents),
        strange,
        [vectors(20, i) for i in range(len(texts))],
        vectors(6),
        rsq_preset("calibrated"),
        frequencies=DocumentFrequencies.of(texts) if counted else None,
    )


def test_planted_candidates_are_flagged_and_clean_ones_are_not() -> None:
    found = run(PLANTED + CLEAN[:45])
    assert [c.flagged for c in found.candidates] == [True] * 5
    assert [c.repeats_question for c in found.candidates] == [True] * 5
    assert found.guard_ids == ("d6", "d7", "d8", "d9", "d10")
    assert (len(found.tail_ids), found.tail_short, found.word_weights) == (40, False, "snapshot")
    assert not any(c.flagged for c in run(CLEAN[:50]).candidates)


def test_the_score_is_the_sum_of_the_four_terms() -> None:
    for c in run(PLANTED[:3] + CLEAN[:47]).candidates:
        parts = (c.anchor.e_anchor, c.script.e_script, c.surprisal.e_surprisal, c.alignment.e_alignment)
        assert c.score == pytest.approx(sum(parts))
        assert c.flagged == (c.score >= 1.0)


def test_surprisal_counts_double_beyond_half() -> None:
    nll = np.full(400, 3.0, np.float32)
    nll[20:36] = 3.0 + 2 * CONFIG.surprisal_gate
    # 16 tokens at twice the gate: burst / gate = 2, so 1 in `paper`; what is beyond 0.5 counts twice
    assert run(CLEAN[:50], nll).candidates[0].surprisal.e_surprisal == pytest.approx(1.0, abs=1e-5)
    nll[20:36] = 3.0 + 1.4 * CONFIG.surprisal_gate
    assert run(CLEAN[:50], nll).candidates[0].surprisal.e_surprisal == 0.0


def test_a_short_ranking_is_scored_and_says_so_and_too_short_a_one_is_refused() -> None:
    found = run(PLANTED + CLEAN[:15])
    assert found.tail_short
    assert [c.flagged for c in found.candidates] == [True] * 5
    with pytest.raises(InputError, match="19 documents"):
        run(PLANTED + CLEAN[:14])


def test_without_a_snapshot_weights_come_from_the_ranking() -> None:
    found = run(PLANTED + CLEAN[:45], counted=False)
    assert found.word_weights == "ranking"
    assert [c.flagged for c in found.candidates] == [True] * 5


def test_records_say_what_each_term_is_made_of() -> None:
    found = run([*PLANTED[:4], PLANTED[0] + "!", *CLEAN[:45]])
    last = found.candidates[4]
    assert last.copy_of == "d1"
    row = candidate_record(found, last)
    assert (row["copy_of"], row["repeats_question"], row["tail_short"]) == ("d1", True, False)
    detail = candidate_detail(found, last)
    assert detail["anchor_tokens"][0]["token"] == "grist"
    assert set(detail["anchor_tokens"][0]) == {"token", "K", "x", "p", "weight", "head", "compared"}
    assert detail["tail"]["guard_ids"] == ["d6", "d7", "d8", "d9", "d10"]
    assert detail["tail"]["candidate"]["windows"] == [[0, len(PLANTED[0])]]


def test_paper_rows_have_no_field_more() -> None:
    texts = CLEAN[:20]
    documents = tuple(RankedDocument(f"d{i}", i, text) for i, text in enumerate(texts, start=1))
    flat = TokenSurprisal(np.full(60, 3.0, np.float32), np.zeros((60, 2), np.int32))
    found = score_ranking(
        RankedContext("q", QUERY, "c", documents),
        [flat] * 5,
        [vectors(20)] * 20,
        vectors(6),
        replace(rsq_preset("paper")),
    )
    assert "coverage" not in candidate_record(found, found.candidates[0])
    assert set(candidate_detail(found, found.candidates[0])["tail"]) == {"document_ids", "v_script", "alignment_jump"}
