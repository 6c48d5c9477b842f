"""Characters that cannot be seen, or that reorder and hide others, as visible marks."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

# Short names that a reviewer can look up; everything else is shown by its code point and Unicode name.
_SHORT = {
    0x00: "NUL",
    0x08: "BS",
    0x0B: "VT",
    0x0C: "FF",
    0x0D: "CR",
    0x1B: "ESC",
    0x7F: "DEL",
    0x85: "NEL",
    0xAD: "SHY",
    0x034F: "CGJ",
    0x061C: "ALM",
    0x180E: "MVS",
    0x200B: "ZWSP",
    0x200C: "ZWNJ",
    0x200D: "ZWJ",
    0x200E: "LRM",
    0x200F: "RLM",
    0x2028: "LSEP",
    0x2029: "PSEP",
    0x202A: "LRE",
    0x202B: "RLE",
    0x202C: "PDF",
    0x202D: "LRO",
    0x202E: "RLO",
    0x2060: "WJ",
    0x2066: "LRI",
    0x2067: "RLI",
    0x2068: "FSI",
    0x2069: "PDI",
    0xFEFF: "BOM",
}
# Letters and marks that draw nothing although their category says they are visible
_BLANK = frozenset({0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0})
_SELECTORS = (range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_KEPT = frozenset("\n\t")
# Written languages stack three or four marks on one letter; more is a way to draw over the lines around it
COMBINING_KEPT = 4
_APART = 3


def is_hidden(character: str) -> bool:
    """True for a character that must be shown as a mark: category C*, line and paragraph separators, blank letters.

    Newline and tab are kept: they are what `white-space: pre-wrap` draws.
    """
    code = ord(character)
    if character in _KEPT:
        return False
    if code < 0x7F:
        return code < 0x20
    if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}:
        return True
    return code in _BLANK or any(code in block for block in _SELECTORS)


def is_combining(character: str) -> bool:
    """True for a mark that is drawn on the character before it."""
    return ord(character) >= 0x300 and unicodedata.category(character) in {"Mn", "Me"}


def mark(character: str) -> str:
    """What stands for a hidden character, for instance ``⟦U+202E RLO⟧``."""
    code = ord(character)
    name = _SHORT.get(code, "")
    return f"⟦U+{code:04X} {name}⟧" if name else f"⟦U+{code:04X}⟧"


def describe(character: str) -> str:
    """Code point and Unicode name, for a tooltip."""
    return f"U+{ord(character):04X} {unicodedata.name(character, 'no name')}"


def hidden_positions(text: str) -> list[int]:
    """Positions of what is shown as marks: hidden characters, and combining marks past the fourth in a row."""
    positions: list[int] = []
    stacked = 0
    for position, character in enumerate(text):
        stacked = stacked + 1 if is_combining(character) else 0
        if stacked > COMBINING_KEPT or is_hidden(character):
            positions.append(position)
    return positions


def marked(character: str, times: int) -> str:
    """What stands for ``times`` equal hidden characters in a row: a few marks, or one with their number."""
    # Ten thousand equal marks would bury the text around them, and slow the browser
    return mark(character) * times if times <= _APART else f"{mark(character)} × {times:,}"


def runs(text: str) -> Iterator[tuple[int, int]]:
    """Stretches [start, end) of equal hidden characters in a row."""
    start, end = -1, -1
    for position in hidden_positions(text):
        if position == end and text[position] == text[start]:
            end += 1
            continue
        if end > 0:
            yield start, end
        start, end = position, position + 1
    if end > 0:
        yield start, end


def visible(text: str) -> str:
    """``text`` with every hidden character replaced by its mark; still untrusted, not escaped."""
    parts: list[str] = []
    last = 0
    for start, end in runs(text):
        parts += (text[last:start], marked(text[start], end - start))
        last = end
    return "".join([*parts, text[last:]]) if parts else text
