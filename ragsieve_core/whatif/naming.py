"""Names of moves as users write them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ragsieve_core.errors import InputError, nearest
from ragsieve_core.whatif.refused import RefusedMoveError, Unanswerable


def unknown_move(name: str, valid: Iterable[str]) -> RefusedMoveError:
    """The error for a name that is no parameter."""
    return RefusedMoveError(
        Unanswerable.UNKNOWN_NAME, f"no move {name!r}", where="--set", expected=nearest(name, valid)
    )


def parse_moves(given: Sequence[str]) -> dict[str, float]:
    """``NAME=VALUE`` texts as numbers, in the order given.

    Raises
    ------
    InputError : no equals sign, no number, or a name twice.
    """
    moves: dict[str, float] = {}
    for text in given:
        name, sign, value = text.partition("=")
        name = name.strip()
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not sign or not name or not math.isfinite(number):
            raise InputError(f"{text!r} is no move", where="--set", expected="NAME=NUMBER, for instance eta_Q=0.9")
        if name in moves:
            raise InputError(f"{name} is set twice", where="--set", expected="each name once")
        moves[name] = number
    return moves
