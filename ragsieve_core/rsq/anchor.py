"""Answer-anchor concentration E_a: words that several candidates share and the tail does not."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.text.words import ascii_words


@dataclass(frozen=True, slots=True)
class AnchorToken:
    """One tested word of a candidate.

    Attributes
    ----------
    token : the word, casefolded.
    K : number of the n ranked documents holding it.
    x : number of the k candidates holding it, >= 2.
    p : P[Hypergeom(n, K, k) >= x], in (0, 1]; small = concentrated in the candidates.
    """

    token: str
    K: int
    x: int
    p: float


@dataclass(frozen=True, slots=True)
class AnchorEvidence:
    """E_a of one candidate with the words it rests on.

    Attributes
    ----------
    p_anchor : Simes combination of the candidate's own tested words, in (0, 1]; 1 if none.
    e_anchor : -log10(max(p_anchor, ulp(1))) / log10(C(n, k)); >= 0, higher = more suspicious.
    tokens : the tested words, smallest p first, equal p by word.
    """

    p_anchor: float
    e_anchor: float
    tokens: tuple[AnchorToken, ...]


@lru_cache(maxsize=65_536)
def hypergeometric_tail(x: int, n: int, K: int, k: int) -> float:
    """P[X >= x] for X = number of marked items in a draw of k from n items of which K are marked.

    Exact in integers, divided once at the end.
    """
    favourable = sum(math.comb(K, i) * math.comb(n - K, k - i) for i in range(max(x, 0), min(K, k) + 1))
    return favourable / math.comb(n, k)


def simes(p_values: Sequence[float]) -> float:
    """Simes combination min(1, min_r m p_(r) / r) of m p-values; 1.0 if there are none."""
    ordered = sorted(p_values)
    m = len(ordered)
    return min((1.0, *(m * p / r for r, p in enumerate(ordered, start=1))))


def anchor_concentration(
    query: str, texts: Sequence[str], config: RSQConfig, *, words_of: Sequence[frozenset[str]] | None = None
) -> list[AnchorEvidence]:
    """E_a of the first ``config.k`` of the ``config.n`` ranked texts.

    Parameters
    ----------
    query : the query; its words are no evidence.
    texts : the n ranked texts, best first.
    config : n, k and the shortest word.
    words_of : word set of each text, where it is known already.

    Returns
    -------
    One :class:`AnchorEvidence` per candidate, in rank order.
    """
    asked = ascii_words(query)
    if words_of is None:
        words_of = [ascii_words(text) for text in texts]
    words = [
        {w for w in all_words if (len(w) >= config.min_word_length or w.isdigit()) and w not in asked}
        for all_words in words_of
    ]
    in_candidates = Counter(w for held in words[: config.k] for w in held)
    tested: dict[str, AnchorToken] = {}
    for token, x in in_candidates.items():
        if x >= 2:
            K = sum(token in held for held in words)
            tested[token] = AnchorToken(token, K, x, hypergeometric_tail(x, config.n, K, config.k))
    scale = math.log10(math.comb(config.n, config.k))
    evidence = []
    for held in words[: config.k]:
        own = sorted((tested[w] for w in held if w in tested), key=lambda t: (t.p, t.token))
        p = simes([t.p for t in own])
        evidence.append(AnchorEvidence(p, -math.log10(max(p, math.ulp(1.0))) / scale + 0.0, tuple(own)))
    return evidence
