"""Colours that stay apart for colour-blind eyes and on light and dark ground (Okabe and Ito, 2008)."""

from __future__ import annotations

from typing import Final

BLUE: Final = "#0072B2"
SKY: Final = "#56B4E9"
GREEN: Final = "#009E73"
ORANGE: Final = "#E69F00"
VERMILLION: Final = "#D55E00"
PURPLE: Final = "#CC79A7"
GREY: Final = "#8A929C"

TERM_NAMES: Final = {
    "e_anchor": "answer anchors",
    "e_script": "script",
    "e_surprisal": "surprisal",
    "e_alignment": "alignment",
}
TERM_COLOURS: Final = {"e_anchor": BLUE, "e_script": GREEN, "e_surprisal": ORANGE, "e_alignment": PURPLE}
# Fill patterns tell the terms apart where colours do not
TERM_PATTERNS: Final = {"e_anchor": "", "e_script": "/", "e_surprisal": "x", "e_alignment": "."}

SCRIPT_COLOURS: Final = {
    "LATIN": GREY,
    "CYRILLIC": VERMILLION,
    "GREEK": BLUE,
    "ARABIC": GREEN,
    "HEBREW": PURPLE,
    "EAST_ASIAN": ORANGE,
    "DEVANAGARI": SKY,
    "BENGALI": SKY,
    "THAI": GREEN,
    "ARMENIAN": PURPLE,
    "GEORGIAN": ORANGE,
    "OTHER": VERMILLION,
}


def rgba(colour: str, alpha: float) -> str:
    """``#RRGGBB`` with an opacity in [0, 1], as CSS."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:g})"
