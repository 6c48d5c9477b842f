"""Other thresholds, weights and gates of RSQ over stored terms."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.decision import TERMS, combined_score

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RSQColumns:
    """Stored candidates, row i = one candidate of one event.

    Attributes
    ----------
    anchor, script, surprisal, alignment : float64 (n,), the four terms, each >= 0.
    flagged : bool (n,), as stored.
    event : int32 (n,), event of the row, 0-based without gaps.
    events : number of events.
    """

    anchor: Floats
    script: Floats
    surprisal: Floats
    alignment: Floats
    flagged: NDArray[np.bool_]
    event: NDArray[np.int32]
    events: int

    def __post_init__(self) -> None:
        count = self.anchor.shape[0]
        if any(len(getattr(self, name)) != count for name in (*TERMS, "flagged", "event")):
            raise InputError("columns of different length", where="RSQ columns", expected=f"{count} values in each")


def rescore(columns: RSQColumns, config: RSQConfig) -> tuple[Floats, NDArray[np.bool_]]:
    """Score and flag of every candidate under other parameters of the sum; equal to scoring the rankings anew.

    Only ``threshold``, ``weights``, ``gates`` and ``script_support`` of the configuration matter: the terms are as
    stored.

    Returns
    -------
    score : float64 (n,), higher = more suspicious.
    flagged : bool (n,), score >= threshold.
    """
    score = combined_score(columns.anchor, columns.script, columns.surprisal, columns.alignment, config)
    return score, score >= config.threshold


MOVES = (
    "eta_Q", *(f"weight.{term}" for term in TERMS), *(f"gate.{term}" for term in TERMS), "script_support"
)  # fmt: skip


def moved(config: RSQConfig, moves: dict[str, float]) -> RSQConfig:
    """The configuration with named moves applied: ``eta_Q``, ``weight.<term>``, ``gate.<term>``, ``script_support``.

    Raises
    ------
    InputError : an unknown name or a value out of range.
    """
    from ragsieve_core.whatif.naming import unknown_move

    changes: dict[str, Any] = {}
    weights, gates = list(config.weights), list(config.gates)
    for name, value in moves.items():
        kind, _, term = name.partition(".")
        if name == "eta_Q":
            changes["threshold"] = value
        elif name == "script_support":
            changes["script_support"] = value
        elif kind == "weight" and term in TERMS:
            weights[TERMS.index(term)] = value
        elif kind == "gate" and term in TERMS:
            gates[TERMS.index(term)] = value
        else:
            raise unknown_move(name, MOVES)
    return dataclasses.replace(config, weights=tuple(weights), gates=tuple(gates), **changes)
