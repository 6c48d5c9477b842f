"""RSQ of the survivors within a time limit: what could be scored, and what could not."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ragsieve_core.document import RankedContext, RankedDocument
from ragsieve_core.gate.features import DocumentFeatures, FeatureSource
from ragsieve_core.gate.marking import Entry
from ragsieve_core.models.roles import TokenSurprisal, TokenVectors
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.score import RankingEvidence

_log = logging.getLogger("ragsieve.gate")

Score = Callable[
    [RankedContext, Sequence[TokenSurprisal], Sequence[TokenVectors], TokenVectors, RSQConfig], RankingEvidence
]
"""As :func:`ragsieve_core.rsq.score.score_ranking`."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What RSQ could say.

    Attributes
    ----------
    evidence : None where RSQ was not applied.
    scorable : survivors with features, in rank order; the first n of them were scored.
    unscored : survivors without features -> time_limit, error, too_long or no_text. Those after the last document of
        the context were not needed.
    reason : empty, time_limit or error: the first thing to look at where a document that was needed is among them.
    errors : failures of models or scoring.
    """

    evidence: RankingEvidence | None
    scorable: tuple[Entry, ...]
    unscored: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    errors: int = 0


def score_survivors(
    query: str,
    left: Sequence[Entry],
    source: FeatureSource,
    score: Score,
    config: RSQConfig,
    *,
    longest: int,
    end: float,
) -> Scored:
    """RSQ of survivors, waiting for features until ``end`` (of ``time.monotonic``).

    Where some of the first n can have no features, the next survivors are asked for; and at the limit, later ones whose
    features are there already take their places: documents nobody could score do not keep RSQ from the rest.

    Parameters
    ----------
    left : at least n survivors.
    longest : characters of the longest text that is scored.
    """

    def remaining() -> float:
        return max(0.0, end - time.monotonic())

    n = config.n
    unfit = {
        entry.id: "no_text" if not entry.scored_text.strip() else "too_long"
        for entry in left
        if not entry.scored_text.strip() or len(entry.scored_text) > longest
    }
    fit = [entry for entry in left if entry.id not in unfit]
    found: dict[str, DocumentFeatures] = {}
    failed: dict[str, str] = {}
    try:
        asked = source.query(query, remaining())
        looked = 0
        while looked < len(fit):
            short = n - sum(entry.scored_text in found for entry in fit[:looked])
            if short <= 0 or (looked and remaining() <= 0):
                break
            result = source.get([entry.scored_text for entry in fit[looked : looked + short]], remaining())
            found |= result.found
            failed |= result.failed
            looked += short
        if looked > n or n < 2 * config.k or any(entry.scored_text not in found for entry in fit[:looked]):
            rest = [entry.scored_text for entry in fit[looked:]]
            there = source.peek(rest)
            warm = [text for text, is_there in zip(rest, there, strict=True) if is_there]
            found |= source.get(warm, 0.0).found
    except Exception:  # noqa: BLE001
        # Whatever a model raises: the declared policy decides, and the call is counted as an error
        _log.exception("features could not be had")
        return Scored(None, (), {entry.id: "error" for entry in left}, "error", 1)
    errors = len(failed)
    scorable = tuple(entry for entry in fit if entry.scored_text in found)
    unscored = {
        entry.id: unfit.get(entry.id, "error" if entry.scored_text in failed else "time_limit")
        for entry in left
        if entry.id in unfit or entry.scored_text not in found
    }
    if asked is None or len(scorable) < n:
        everything = {entry.id: unscored.get(entry.id, "time_limit") for entry in left}
        return Scored(None, scorable, everything, _reason(everything.values()), errors)
    last = scorable[n - 1].document.rank
    missed = [unscored[entry.id] for entry in left if entry.id in unscored and entry.document.rank < last]
    try:
        evidence = score(*_inputs(query, scorable[:n], found, asked, config))
    except Exception:  # noqa: BLE001
        # As above: an unforeseen text must not keep the quarantine from applying
        _log.exception("a ranking could not be scored")
        return Scored(None, scorable, {entry.id: "error" for entry in left}, "error", errors + 1)
    return Scored(evidence, scorable, unscored, _reason(missed), errors)


def _reason(found: Iterable[str]) -> str:
    kinds = set(found)
    return next((kind for kind in ("error", "time_limit") if kind in kinds), "")


def _inputs(
    query: str,
    ranked: Sequence[Entry],
    found: Mapping[str, DocumentFeatures],
    asked: TokenVectors,
    config: RSQConfig,
) -> tuple[RankedContext, list[TokenSurprisal], list[TokenVectors], TokenVectors, RSQConfig]:
    features = [found[entry.scored_text] for entry in ranked]
    return (
        renumbered(query, ranked),
        [feature.surprisal for feature in features[: config.k]],
        [feature.vectors for feature in features],
        asked,
        config,
    )


def renumbered(query: str, ranked: Sequence[Entry]) -> RankedContext:
    """Entries as a ranking of their scored texts, numbered from 1."""
    return RankedContext(
        "",
        query,
        "",
        tuple(
            RankedDocument(entry.id, rank, entry.scored_text, None, entry.document.similarity)
            for rank, entry in enumerate(ranked, start=1)
        ),
    )
