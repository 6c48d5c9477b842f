"""Words as METHOD defines them for the `paper` rules: matches of ``[a-z0-9]+`` in the casefolded text."""

from __future__ import annotations

import re

_WORD = re.compile(r"[a-z0-9]+")


def ascii_words(text: str) -> frozenset[str]:
    """Distinct ``[a-z0-9]+`` words of the casefolded text.

    Text in other alphabets has none: METHOD, "Where the published rules break".
    """
    return frozenset(_WORD.findall(text.casefold()))


def word_spans(text: str) -> list[tuple[str, int, int]]:
    """Words with their character spans [start, end) in ``text`` itself, in order.

    Casefolding can lengthen a text (``ß`` becomes ``ss``), so offsets are mapped back to the characters that gave
    rise to them; highlights built from them never shift.
    """
    folded: list[str] = []
    origin: list[int] = []
    for position, character in enumerate(text):
        for piece in character.casefold():
            folded.append(piece)
            origin.append(position)
    return [
        (match.group(), origin[match.start()], origin[match.end() - 1] + 1) for match in _WORD.finditer("".join(folded))
    ]


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """Size of the intersection over size of the union, in [0, 1]; 0 if both are empty."""
    shared = len(left & right)
    union = len(left) + len(right) - shared
    return shared / union if union else 0.0
