"""Highlights of a text: which spans, what they mean, and how each kind looks so that colour is never alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.charts.palette import SCRIPT_COLOURS, SKY, TERM_COLOURS, rgba

Kind = Literal["anchor", "window", "script", "burst", "change", "jump"]


@dataclass(frozen=True, slots=True)
class Highlight:
    """One span of a text.

    Attributes
    ----------
    start, end : characters of the original text, [start, end).
    kind : what it marks: an anchor token, a passage near the question, a run of one script, a surprisal burst or
        change, an alignment jump.
    label : short name drawn before the span, may be empty.
    note : tooltip, may be empty.
    script : name of the script, for the colour of ``kind="script"``.
    """

    start: int
    end: int
    kind: Kind
    label: str = ""
    note: str = ""
    script: str = ""

    def clipped(self, length: int) -> Highlight:
        """The part inside a text of ``length`` characters."""
        return replace(self, start=min(max(0, self.start), length), end=min(max(0, self.end), length))


# A line of its own per kind: two kinds on one span stay apart, also in grey
_LINES = {
    "anchor": "border-bottom:2px solid {c};font-weight:650",
    "window": "border-bottom:1px dotted {c}",
    "script": "border-bottom:2px double {c}",
    "burst": "border-top:2px solid {c}",
    "change": "border-top:2px dashed {c}",
    "jump": "border-bottom:2px dotted {c}",
}
_COLOURS = {
    "anchor": TERM_COLOURS["e_anchor"],
    "window": SKY,
    "burst": TERM_COLOURS["e_surprisal"],
    "change": TERM_COLOURS["e_surprisal"],
    "jump": TERM_COLOURS["e_alignment"],
}


def colour(highlight: Highlight) -> str:
    """Hex colour of a highlight."""
    if highlight.kind == "script":
        return SCRIPT_COLOURS.get(highlight.script, SCRIPT_COLOURS["OTHER"])
    return _COLOURS[highlight.kind]


def segment_style(active: Sequence[Highlight]) -> str:
    """Inline CSS of a piece under all its highlights: one translucent layer each, and the line of each kind."""
    layers = [rgba(colour(h), 0.18) for h in active]
    gradients = ",".join(f"linear-gradient({layer},{layer})" for layer in layers)
    lines = ";".join({h.kind: _LINES[h.kind].format(c=colour(h)) for h in active}.values())
    return f"background-image:{gradients};{lines}"


def tag_style(highlight: Highlight) -> str:
    """Inline CSS of the label before a span: not selectable, so that copied text stays the document's own."""
    return (
        "user-select:none;unicode-bidi:isolate;direction:ltr;font-size:0.66em;font-weight:700;letter-spacing:0.03em;"
        f"padding:0.05em 0.4em;margin-right:0.2em;border-radius:0.25em;border:1px solid {colour(highlight)};"
        f"background:{rgba(colour(highlight), 0.28)};white-space:nowrap;vertical-align:0.15em"
    )
