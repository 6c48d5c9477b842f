"""Moves of RSQ against a plain recomputation row by row."""

from __future__ import annotations

import numpy as np
import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.whatif.naming import parse_moves
from ragsieve_core.whatif.refused import RefusedMoveError
from ragsieve_core.whatif.rsq import RSQColumns, moved, rescore


def columns(count: int = 400) -> RSQColumns:
    rng = np.random.default_rng(3)
    terms = rng.gamma(0.5, 0.4, (4, count))
    return RSQColumns(*terms, terms.sum(axis=0) >= 1, np.repeat(np.arange(count // 5, dtype=np.int32), 5), count // 5)


@pytest.mark.parametrize(
    "moves",
    [
        {},
        {"eta_Q": 0.6},
        {"weight.script": 0.5, "weight.surprisal": 2.0},
        {"gate.anchor": 0.2, "script_support": 0.3, "eta_Q": 1.2},
    ],
    ids=str,
)
def test_equals_a_plain_recomputation(moves: dict[str, float]) -> None:
    held = columns()
    score, flagged = rescore(held, moved(RSQConfig(), moves))
    weight = [moves.get(f"weight.{name}", 1.0) for name in ("anchor", "script", "surprisal", "alignment")]
    for row in range(400):
        terms = [held.anchor[row], held.script[row], held.surprisal[row], held.alignment[row]]
        if terms[0] < moves.get("gate.anchor", 0.0):
            terms[0] = 0.0
        terms = [w * t for w, t in zip(weight, terms, strict=True)]
        if terms[0] + terms[2] + terms[3] < moves.get("script_support", 0.0):
            terms[1] = 0.0
        assert score[row] == pytest.approx(sum(terms))
        assert flagged[row] == (score[row] >= moves.get("eta_Q", 1.0))


def test_moves_as_written() -> None:
    assert parse_moves(["eta_Q=0.9", "weight.script = 0"]) == {"eta_Q": 0.9, "weight.script": 0.0}
    for bad in (["eta_Q"], ["eta_Q=x"], ["=1"], ["eta_Q=nan"], ["eta_Q=1", "eta_Q=2"]):
        with pytest.raises(InputError):
            parse_moves(bad)
    with pytest.raises(RefusedMoveError, match="did you mean 'eta_Q'"):
        moved(RSQConfig(), {"eta_q": 1.0})
    with pytest.raises(InputError, match="threshold"):
        moved(RSQConfig(), {"eta_Q": -1.0})
