"""Other parameters of RSG over stored neighbours: the same numbers as a fresh scoring, without texts or vectors."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.rsg.calibrated.config import CalibratedConfig
from ragsieve_core.rsg.config import RSGConfig
from ragsieve_core.rsg.density import column_density
from ragsieve_core.rsg.score import cut_score, topology_score
from ragsieve_core.whatif.naming import unknown_move
from ragsieve_core.whatif.refused import RefusedMoveError, Unanswerable

Floats = NDArray[np.float64]
AnyConfig: TypeAlias = RSGConfig | CalibratedConfig


@dataclass(frozen=True, slots=True)
class RSGColumns:
    """A stored scan, row i = one document.

    Attributes
    ----------
    config : parameters it was made with.
    flagged : bool (N,), as stored.
    integrity : float64 (N,), 0 or 1.
    topology : float64 (N,), stored topology score.
    cosine : float32 (N, k), non-increasing; None where the scan stored no neighbours.
    jaccard : float64 (N, k).
    """

    config: AnyConfig
    flagged: NDArray[np.bool_]
    integrity: Floats
    topology: Floats
    cosine: NDArray[np.float32] | None = None
    jaccard: Floats | None = None

    def __post_init__(self) -> None:
        count = self.flagged.shape[0]
        if any(len(column) != count for column in (self.integrity, self.topology)):
            raise InputError("columns of different length", where="RSG columns", expected=f"{count} values in each")
        if self.cosine is not None and (self.jaccard is None or self.jaccard.shape != self.cosine.shape):
            raise InputError("neighbours without word overlap", where="RSG columns", expected="one Jaccard per cosine")
        if self.cosine is not None and self.cosine.shape[1] != count:
            raise InputError("neighbour rows of another number", where="RSG columns", expected=f"{count} rows")


@dataclass(frozen=True, slots=True)
class Rescored:
    """A scan under other parameters.

    Attributes
    ----------
    score : float64 (N,), in [0, 1]; higher = more suspicious.
    flagged : bool (N,).
    density : float32 (N,); None under `calibrated`, which has none of its own.
    """

    score: Floats
    flagged: NDArray[np.bool_]
    density: NDArray[np.float32] | None


_PAPER = {
    "eta_G": "threshold",
    "tau_e": "cosine_cut",
    "tau_l": "jaccard_ceiling",
    "k_G": "k",
    "alpha_G": "budget",
    "density_cut": "density_cut",
}
_CALIBRATED = {"cut": "evidence_cut", "eta_G": "threshold", "tau_l": "copy_jaccard", "k_G": "k"}


def fields_of(config: AnyConfig) -> dict[str, str]:
    """Names that :func:`moved` takes for this rule, with the field of the configuration each changes."""
    return dict(_CALIBRATED if isinstance(config, CalibratedConfig) else _PAPER)


C = TypeVar("C", bound=RSGConfig | CalibratedConfig)


def moved(config: C, moves: dict[str, float]) -> C:
    """The configuration with named moves applied.

    `paper`: ``eta_G``, ``tau_e``, ``tau_l``, ``k_G``, ``alpha_G``, ``density_cut``. `calibrated`: ``cut`` (of the
    evidence), ``eta_G``.

    Raises
    ------
    InputError : an unknown name or a value out of range.
    """
    names = _CALIBRATED if isinstance(config, CalibratedConfig) else _PAPER
    changes: dict[str, float | int] = {}
    for name, value in moves.items():
        if name not in names:
            raise unknown_move(name, names)
        if name == "k_G" and value != int(value):
            raise InputError(f"{value!r} neighbours", where="k_G", expected="a whole number")
        changes[names[name]] = int(value) if name == "k_G" else value
    given: dict[str, Any] = dict(changes)
    return dataclasses.replace(config, **given)


def rescore(columns: RSGColumns, config: AnyConfig) -> Rescored:
    """Score and flag of every document under other parameters, equal to scoring the corpus anew.

    Raises
    ------
    RefusedMoveError : with its reason, where stored columns do not hold what the move needs.
    """
    if isinstance(columns.config, CalibratedConfig):
        if not isinstance(config, CalibratedConfig):
            raise _other_rule(columns.config.rule, config.rule)
        return _calibrated(columns, columns.config, config)
    if isinstance(config, CalibratedConfig):
        raise _other_rule(columns.config.rule, config.rule)
    return _paper(columns, columns.config, config)


def _other_rule(stored: str, wanted: str) -> RefusedMoveError:
    return RefusedMoveError(
        Unanswerable.NOT_STORED,
        f"a {stored!r} scan cannot be read as {wanted!r}",
        where="--rule",
        expected="moves of the rule that made the scan",
        do=f"scan with --rule {wanted}",
    )


def _paper(columns: RSGColumns, stored: RSGConfig, config: RSGConfig) -> Rescored:
    for field in dataclasses.fields(config):
        if field.name in (*_PAPER.values(), "rule", "strongest", "enough"):
            continue
        if getattr(stored, field.name) != getattr(config, field.name):
            raise RefusedMoveError(Unanswerable.NOT_STORED, "needs the texts", where=field.name, do="scan again")
    if columns.cosine is None or columns.jaccard is None:
        raise RefusedMoveError(
            Unanswerable.NOT_STORED, "the scan holds no neighbours", where="scan", do="scan the corpus again"
        )
    depth = columns.cosine.shape[0]
    # In a corpus of fewer documents every other one is a neighbour already
    if config.k > depth and stored.k <= depth:
        raise RefusedMoveError(
            Unanswerable.DEEPER_THAN_STORED,
            f"k_G = {config.k} needs more neighbours than the scan stored",
            where="k_G",
            expected=f"at most {depth}",
            do=f"scan the corpus with k_G = {config.k}",
        )
    k = min(config.k, depth)
    _, _, density = column_density(columns.cosine[:k], columns.jaccard[:k], config)
    if config.density_cut:
        topology = cut_score(density, config)
    else:
        topology = topology_score(_tail(density), columns.integrity, config)
    score = np.maximum(topology, columns.integrity)
    return Rescored(score, score >= config.threshold, density)


def _tail(density: NDArray[np.float32]) -> Floats:
    """:func:`ragsieve_core.rsg.score.tail_probability`, with the many zeros left out of the sort."""
    some = np.flatnonzero(density > 0)
    tail = np.full(density.size, density.size / (density.size + 1))
    if some.size:
        # Sorting once costs a tenth of looking every value up
        order = np.argsort(density[some])
        ordered = density[some][order]
        starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        first = np.repeat(starts, np.diff(np.r_[starts, some.size]))
        tail[some[order]] = (some.size - first) / (density.size + 1)
    return tail


def _calibrated(columns: RSGColumns, stored: CalibratedConfig, config: CalibratedConfig) -> Rescored:
    if config.k > stored.k:
        raise RefusedMoveError(
            Unanswerable.DEEPER_THAN_STORED,
            f"k_G = {config.k} needs more neighbours than the scan stored",
            where="k_G",
            expected=f"{stored.k}",
            do=f"scan the corpus with k_G = {config.k}",
        )
    for field in dataclasses.fields(config):
        if field.name in ("rule", "evidence_cut", "threshold"):
            continue
        if getattr(stored, field.name) != getattr(config, field.name):
            raise RefusedMoveError(
                Unanswerable.NEEDS_WORDS,
                "the evidence of groups rests on the words inside them, which a scan does not store",
                where=field.name,
                expected="a move of the cut or of eta_G",
                do="scan the corpus with that parameter",
            )
    if config.evidence_cut < stored.tail_start:
        raise RefusedMoveError(
            Unanswerable.BELOW_TAIL_START,
            f"groups with evidence below {stored.tail_start} were not checked for language islands",
            where="cut",
            expected=f"at least {stored.tail_start}",
        )
    topology = _logistic_at(columns.topology, stored.evidence_cut, config.evidence_cut)
    score = np.maximum(topology, columns.integrity)
    return Rescored(score, score >= config.threshold, None)


def _logistic_at(topology: Floats, stored: float, cut: float) -> Floats:
    """The stored curve 1 / (1 + exp(-2 (E - stored))) read at another cut."""
    if cut == stored:
        return topology
    with np.errstate(divide="ignore"):
        evidence = stored + (np.log(topology) - np.log1p(-topology)) / 2
    below = float(np.nextafter(0.5, 0.0))
    value = 1.0 / (1.0 + np.exp(-2.0 * np.clip(evidence - cut, -300.0, 300.0)))
    return np.where(evidence >= cut, np.maximum(value, 0.5), np.minimum(value, below))
