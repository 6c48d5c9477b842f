"""Words in text order as the anchors count them, their places in the text, and windows over them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from ragsieve_core.text.unicode_words import UNSPACED, folded

_WORD = regex.compile(r"\b[\p{L}\p{N}_].*?\b", flags=regex.WORD | regex.DOTALL | regex.V1)
_RUN = regex.compile(rf"[{UNSPACED}][{UNSPACED}\p{{M}}\u30FC]*")
_UNSPACED = regex.compile(rf"[{UNSPACED}]")
_CLUSTER = regex.compile(r"\X")
_SINGLE = regex.compile(r"[\p{Grapheme_Cluster_Break=Other}\n]*")
"""Texts whose every character is a grapheme cluster of its own."""
_REMEMBERED = 4096
"""Texts whose words are kept: a document meets many questions."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words of one text in order.

    Attributes
    ----------
    words : m words, folded and without plural or possessive s.
    spans : m character spans [start, end) in the folded text.
    places : m + 1 positions in word units: where each word starts, and the end of the text. A bigram of an unspaced
        script is half a word: two characters of Chinese say about as much as one English word, and bigrams overlap.
    content : the distinct words that can be evidence.
    """

    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    places: tuple[float, ...]
    content: frozenset[str]


@lru_cache(maxsize=65_536)
def is_content(word: str) -> bool:
    """Whether a word can be evidence: three characters, all digits, or a bigram of an unspaced script."""
    return len(word) >= 3 or word.isdigit() or _unspaced(word)


@lru_cache(maxsize=65_536)
def _unspaced(word: str) -> bool:
    return len(word) <= 2 and _UNSPACED.search(word) is not None


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """``word`` without English possessive and plural s: "adele's" and "adeles" are "adele", "cities" is "city".

    Rankings hold both spellings of one name, and a question's own word in the plural is no evidence. Only ASCII words
    of four letters and more, never those in -ss.
    """
    for ending in ("'s", "\u2019s"):
        word = word.removesuffix(ending)
    if not word.isascii() or len(word) < 4:
        return word
    if len(word) >= 5 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def words_of(found: Sequence[tuple[str, int, int]]) -> Words:
    """Words from (word, start, end) rows in text order."""
    words = tuple(word for word, _, _ in found)
    places = [0.0]
    for word in words:
        places.append(places[-1] + (0.5 if _unspaced(word) else 1.0))
    return Words(
        words,
        tuple((start, end) for _, start, end in found),
        tuple(places),
        frozenset(word for word in words if is_content(word)),
    )


def cut_words(text: str) -> Words:
    """Words of ``text``: UAX #29 words of the folded text, overlapping bigrams where no space parts words."""
    plain = folded(text)
    found: list[tuple[str, int, int]] = []
    last = 0
    if not plain.isascii():
        for run in _RUN.finditer(plain):
            found += [(m.group(), *m.span()) for m in _WORD.finditer(plain, last, run.start())]
            start, end = run.span()
            if end - start == 1:
                found.append((run.group(), start, end))
            else:
                found += [(plain[i : i + 2], i, i + 2) for i in range(start, end - 1)]
            last = end
    found += [(m.group(), *m.span()) for m in _WORD.finditer(plain, last)]
    return words_of([(stem(word), start, end) for word, start, end in found])


@lru_cache(maxsize=_REMEMBERED)
def ordered_words(text: str) -> Words:
    """:func:`cut_words`, remembered."""
    return cut_words(text)


def window_ranges(words: Words, window: int, stride: int) -> list[tuple[int, int]]:
    """Word ranges [first, last) of windows of ``window`` word units every ``stride``, the last one at the end."""
    length = words.places[-1]
    if length <= window:
        return [(0, len(words.words))] if words.words else []
    starts: list[float] = [float(i) for i in range(0, int(length - window) + 1, stride)]
    if starts[-1] + window < length:
        starts.append(length - window)
    return [(bisect_left(words.places, start), bisect_right(words.places, start + window) - 1) for start in starts]


@lru_cache(maxsize=65_536)
def _folded_size(cluster: str) -> int:
    return len(folded(cluster))


def text_spans(text: str, spans: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """Spans of the folded text as spans of ``text`` itself.

    Folding can lengthen a text (ß), shorten it (invisible characters) or compose it. It never reaches over a grapheme
    cluster, so each cluster is folded alone and its characters all point to it.
    """
    if text.isascii() or (_SINGLE.fullmatch(text) and all(_folded_size(character) == 1 for character in set(text))):
        return list(spans)
    starts: list[int] = []
    ends: list[int] = []
    for cluster in _CLUSTER.finditer(text):
        size = _folded_size(cluster.group())
        starts += [cluster.start()] * size
        ends += [cluster.end()] * size
    if not starts:
        return [(0, 0) for _ in spans]
    top = len(starts) - 1
    return [(starts[min(a, top)], ends[min(max(b - 1, 0), top)]) for a, b in spans]


def word_places(text: str) -> list[tuple[str, int, int]]:
    """Words of ``text`` with their character spans [start, end) in it, in order, for display."""
    found = ordered_words(text)
    return [(word, a, b) for word, (a, b) in zip(found.words, text_spans(text, found.spans), strict=True)]
