"""RSQ of the survivors within a time limit: what could be scored, and what could not."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Protocol

from ragsieve_core.document import RankedContext, RankedDocument
from ragsieve_core.gate.answer import Match
from ragsieve_core.gate.features import FeatureSource
from ragsieve_core.gate.marking import Entry
from ragsieve_core.models.feature_cache.kinds import DocumentVectors
from ragsieve_core.models.roles import TokenSurprisal, TokenVectors
from ragsieve_core.rsq.calibrated.frequencies import DocumentFrequencies
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.score import Lexical, RankingEvidence

_log = logging.getLogger("ragsieve.gate")


class Score(Protocol):
    """As :func:`ragsieve_core.rsq.score.score_ranking`."""

    def __call__(
        self,
        context: RankedContext,
        surprisals: Sequence[TokenSurprisal],
        documents: Sequence[DocumentVectors],
        query: TokenVectors,
        config: RSQConfig,
        lexical: Lexical | None = None,
        frequencies: DocumentFrequencies | None = None,
    ) -> RankingEvidence:
        """Evidence of the candidates."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What RSQ could say.

    Attributes
    ----------
    evidence : None where RSQ was not applied.
    usable : survivors that have what their place needs, in rank order: the candidates, then the documents with vectors
        behind them. The first n of them, or as many as there are, were scored.
    unscored : survivors without -> time_limit, error, too_long or no_text. Those after the last document of the context
        were not needed.
    reason : empty, time_limit or error: the first thing to look at where a document that was needed is among them.
    errors : failures of models or scoring.
    """

    evidence: RankingEvidence | None
    usable: tuple[Entry, ...]
    unscored: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    errors: int = 0


class _Found:
    """Features as they come in."""

    def __init__(self, source: FeatureSource, known: Set[str]) -> None:
        self._source, self._known = source, known
        self.surprisal: dict[str, TokenSurprisal] = {}
        self.vectors: dict[str, DocumentVectors] = {}
        self.failed: dict[str, str] = {}

    def fetch(self, texts: Sequence[str], surprisal_for: Set[str], seconds: float) -> None:
        wanted = [t for t in texts if t not in self.vectors or (t in surprisal_for and t not in self.surprisal)]
        if wanted:
            result = self._source.get(wanted, surprisal_for, self._known, seconds)
            self.surprisal |= result.surprisal
            self.vectors |= result.vectors
            self.failed |= result.failed

    def roles(self, fit: Sequence[Entry], k: int, most: int) -> tuple[list[Entry], list[Entry]]:
        """Candidates, and documents behind them; whoever lacks what its place needs is passed over."""
        candidates: list[Entry] = []
        behind: list[Entry] = []
        for entry in fit:
            text = entry.scored_text
            if text not in self.vectors:
                continue
            if len(candidates) < k:
                if text in self.surprisal:
                    candidates.append(entry)
            elif text not in self.failed:
                behind.append(entry)
            if len(candidates) + len(behind) >= most:
                break
        return candidates, behind


def score_survivors(
    query: str,
    left: Sequence[Entry],
    source: FeatureSource,
    score: Score,
    config: RSQConfig,
    *,
    longest: int,
    end: float,
    frequencies: DocumentFrequencies | None = None,
) -> Scored:
    """RSQ of survivors, waiting for features until ``end`` (of ``time.monotonic``).

    Surprisal is asked for the k candidates, vectors for the n documents looked at. Where a document can have no
    features, the next survivors take its place; at the limit, so do later ones whose features are there already:
    documents nobody could score do not keep RSQ from the rest.

    Parameters
    ----------
    left : at least ``config.n_least`` survivors.
    longest : characters of the longest text that is scored.
    frequencies : weights of words in what the caller may see of the snapshot.
    """

    def remaining() -> float:
        return max(0.0, end - time.monotonic())

    # Behind the candidates, as many again must be there for the refill
    most = max(config.n, 2 * config.k)
    unfit = {
        entry.id: "no_text" if not entry.scored_text.strip() else "too_long"
        for entry in left
        if not entry.scored_text.strip() or len(entry.scored_text) > longest
    }
    fit = [entry for entry in left if entry.id not in unfit]
    known = frozenset(entry.scored_text for entry in fit if entry.match is Match.KNOWN)
    found = _Found(source, known)
    try:
        asked = source.query(query, remaining())
        while True:
            plan = [entry.scored_text for entry in fit if entry.scored_text not in found.failed][:most]
            before = len(found.failed)
            found.fetch(plan, frozenset(plan[: config.k]), remaining())
            if len(found.failed) == before or remaining() <= 0:
                break
        candidates, behind = found.roles(fit, config.k, most)
        if len(candidates) + len(behind) < min(most, len(fit)):
            _take_what_is_there(source, found, fit, known, config.k, most)
            candidates, behind = found.roles(fit, config.k, most)
    except Exception:  # noqa: BLE001
        # Whatever a model raises: the declared policy decides, and the call is counted as an error
        _log.exception("features could not be had")
        return Scored(None, (), {entry.id: "error" for entry in left}, "error", 1)
    usable = (*candidates, *behind)
    names = {entry.id for entry in usable}
    unscored = {
        entry.id: unfit.get(entry.id, "error" if entry.scored_text in found.failed else "time_limit")
        for entry in left
        if entry.id not in names
    }
    errors = len(found.failed)
    if asked is None or len(candidates) < config.k or len(usable) < config.n_least:
        everything = {entry.id: unscored.get(entry.id, "time_limit") for entry in left}
        return Scored(None, usable, everything, _reason(everything.values()), errors)
    ranked = usable[: config.n]
    missed = [unscored[entry.id] for entry in left if entry.id in unscored and entry.document.rank < _last(ranked)]
    texts = [entry.scored_text for entry in ranked]
    try:
        evidence = score(
            renumbered(query, ranked),
            [found.surprisal[text] for text in texts[: config.k]],
            [found.vectors[text] for text in texts],
            asked,
            config,
            lexical=source.lexical(texts, config, known),
            frequencies=frequencies,
        )
    except Exception:  # noqa: BLE001
        # As above: an unforeseen text must not keep the quarantine from applying
        _log.exception("a ranking could not be scored")
        return Scored(None, usable, {entry.id: "error" for entry in left}, "error", errors + 1)
    return Scored(evidence, usable, unscored, _reason(missed), errors)


def _take_what_is_there(
    source: FeatureSource, found: _Found, fit: Sequence[Entry], known: Set[str], k: int, most: int
) -> None:
    """Fill the places of what is missing from documents whose features are there, without waiting."""
    texts = [entry.scored_text for entry in fit]
    ready = source.peek(texts, known)
    strange, vectors = ready.surprisal | found.surprisal.keys(), ready.vectors | found.vectors.keys()
    both = [text for text in texts if text in strange and text in vectors and text not in found.failed][:k]
    first = texts.index(both[-1]) + 1 if len(both) == k else len(texts)
    behind = [text for text in texts[first:] if text in vectors and text not in found.failed]
    found.fetch([*both, *behind[: most - len(both)]], frozenset(both), 0.0)


def _last(ranked: Sequence[Entry]) -> int:
    return ranked[-1].document.rank if ranked else 0


def _reason(found: Iterable[str]) -> str:
    kinds = set(found)
    return next((kind for kind in ("error", "time_limit") if kind in kinds), "")


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
