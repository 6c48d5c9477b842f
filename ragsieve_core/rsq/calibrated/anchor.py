"""Answer anchors near the question: words that candidates share close to the question's words, and the tail lacks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial

from ragsieve_core.rsq.anchor import AnchorEvidence, AnchorToken, hypergeometric_tail
from ragsieve_core.rsq.calibrated.config import CalibratedRSQConfig
from ragsieve_core.rsq.calibrated.frequencies import DocumentFrequencies
from ragsieve_core.rsq.calibrated.sides import Sides
from ragsieve_core.rsq.calibrated.words import Words, cut_words, is_content, ordered_words, text_spans, window_ranges


@dataclass(frozen=True, slots=True)
class WeightedToken(AnchorToken):
    """One tested word.

    Attributes
    ----------
    K : number of the compared documents holding it.
    x : number of those at the head holding it near the question.
    p : P[Hypergeom(compared, K, head) >= x].
    weight : w = ln((N + 1) / (df + 1)) in the snapshot.
    head : documents the test calls the head: the candidates, or candidates and guard.
    compared : head and tail.
    """

    weight: float
    head: int
    compared: int


@dataclass(frozen=True, slots=True)
class NearbyAnchors(AnchorEvidence):
    """The anchor term of one candidate.

    ``p_anchor`` is the weighted Simes combination min over r of p_(r) sum(w) / (w_(1) + ... + w_(r));
    ``e_anchor`` = weight * min(1, coverage / full_share) * min(1, -log10(p_anchor) / anchor_scale), in [0, weight].

    Attributes
    ----------
    coverage : largest share of the question's weight in one window, in [0, 1].
    windows : character spans of the windows whose words counted, in order.
    """

    coverage: float
    windows: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Nearby:
    words: Set[str]
    coverage: float
    ranges: tuple[tuple[int, int], ...]


def _nearby(found: Words, question: Mapping[str, float], asked: Set[str], config: CalibratedRSQConfig) -> _Nearby:
    """Words of the windows that hold enough of the question."""
    total = sum(question.values())
    if not total:
        return _Nearby(frozenset(), 0.0, ())
    kept: set[str] = set()
    ranges: list[tuple[int, int]] = []
    best = 0.0
    for first, last in window_ranges(found, config.window, config.window_stride):
        inside = set(found.words[first:last])
        share = sum(weight for word, weight in question.items() if word in inside) / total
        best = max(best, share)
        if share >= config.query_share:
            kept |= inside
            ranges.append((first, last))
    return _Nearby({word for word in kept if is_content(word)} - asked, best, tuple(ranges))


def weighted_simes(tests: Sequence[tuple[float, float]]) -> float:
    """min(1, min over r of p_(r) W / (w_(1) + ... + w_(r))) of (p, weight) pairs; W the sum of weights.

    With equal weights the Simes combination. Common words weigh next to nothing, so neither do their p-values, nor do
    they thin out those of rare ones. 1.0 without weight.

    References
    ----------
    Benjamini and Hochberg (1997), "Multiple hypotheses testing with weights", Scandinavian Journal of Statistics 24.
    """
    total = sum(weight for _, weight in tests)
    best, seen = 1.0, 0.0
    for p, weight in sorted(tests):
        seen += weight
        if seen > 0:
            best = min(best, p * total / seen)
    return best


def nearby_anchors(
    query: str,
    texts: Sequence[str],
    representative: Sequence[int],
    sides: Sides,
    frequencies: DocumentFrequencies,
    config: CalibratedRSQConfig,
    words: Sequence[Words] | None = None,
) -> list[NearbyAnchors]:
    """The anchor term of every candidate.

    A word counts for a candidate or guard document where it stands in a window that holds ``query_share`` of the
    question's weight; for a tail document wherever it stands. It is tested among the candidates if two hold it, and
    among candidates and guard if ``head_least`` hold it; the smaller p counts. Copies count once.

    Parameters
    ----------
    query : the question; its words are no evidence.
    texts : the ranked texts, best first.
    representative : for each text the position of what it is a copy of, as :func:`representatives` gives it.
    sides : candidates, guard, tail.
    frequencies : weights of words.
    config : parameters.
    words : those of the texts, where they are known.
    """
    own_words = [ordered_words(text) for text in texts] if words is None else words
    asked = frozenset(cut_words(query).words)
    question = {word: frequencies.weight(word) for word in sorted(asked) if is_content(word)}
    near = [_nearby(own_words[i], question, asked, config) for i in (*sides.candidates, *sides.guard)]
    once = [i for i in range(len(near)) if representative[i] == i]
    first = [i for i in once if i in sides.candidates]
    tail = [own_words[i].content for i in sides.tail if representative[i] == i]
    among = Counter(word for i in first for word in near[i].words)
    around = Counter(word for i in once for word in near[i].words)
    tested: dict[str, WeightedToken] = {}
    for word, x_head in around.items():
        x = among[word]
        if not x or (x < 2 and x_head < config.head_least):
            continue
        behind = sum(word in held for held in tail)
        make = partial(_token, word, behind, len(tail), frequencies.weight(word))
        options = [make(x, len(first))] if x >= 2 else []
        if x_head >= config.head_least:
            options.append(make(x_head, len(once)))
        tested[word] = min(options, key=lambda token: token.p)
    evidence = []
    for i in sides.candidates:
        own = near[representative[i]]
        tokens = sorted((tested[word] for word in own.words if word in tested), key=lambda t: (t.p, t.token))
        p = weighted_simes([(t.p, t.weight) for t in tokens])
        counted = min(1.0, own.coverage / config.full_share)
        strength = min(1.0, -math.log10(max(p, math.ulp(1.0))) / config.anchor_scale)
        held = near[i]
        places = own_words[i].spans
        spans = tuple((places[a][0], places[b - 1][1]) for a, b in held.ranges if b > a)
        evidence.append(
            NearbyAnchors(
                p,
                config.anchor_weight * counted * strength + 0.0,
                tuple(tokens),
                own.coverage,
                tuple(text_spans(texts[i], spans)),
            )
        )
    return evidence


def _token(word: str, behind: int, tail: int, weight: float, x: int, head: int) -> WeightedToken:
    p = hypergeometric_tail(x, head + tail, x + behind, head)
    return WeightedToken(word, x + behind, x, p, weight, head, head + tail)
