"""The one renderer of document text: hidden characters become marks, everything is escaped, then highlights are put on.

Document text is hostile. It never reaches Markdown, a label or an unescaped HTML string. Highlights are character spans
of the original text; the text is cut at their ends and every piece is escaped by itself, so that neither a mark nor an
entity can shift them.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import streamlit as st

from app.components.highlights import Highlight, segment_style, tag_style
from app.components.marks import describe, hidden_positions, marked

# A longer text would only slow the browser; the cut is said below the text
SHOWN_CHARACTERS = 20_000

_PRE = (
    "white-space:pre-wrap;unicode-bidi:plaintext;overflow-wrap:anywhere;margin:0;padding:0.75rem 0.9rem;"
    "font:inherit;font-size:0.95rem;line-height:1.75;border:1px solid rgba(128,138,150,0.35);border-radius:0.5rem;"
    "overflow:auto"
)
_MARK = (
    "unicode-bidi:isolate;direction:ltr;font-size:0.72em;font-weight:600;padding:0 0.25em;border-radius:0.25em;"
    "border:1px solid #D55E00;background:rgba(213,94,0,0.16);color:inherit;white-space:nowrap"
)
MARK_STYLE = f"pre [data-hidden] {{{_MARK}}}"
"""Rule of the marks, once on every page: on each mark it would be most of a text that is full of them."""
_NOTE = "font-size:0.8rem;opacity:0.75;padding-top:0.35rem"


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    active: tuple[Highlight, ...]


def _pieces(length: int, highlights: Sequence[Highlight]) -> Iterable[_Piece]:
    """The text cut at every end of a highlight, with the highlights that cover each piece."""
    kept = [h.clipped(length) for h in highlights]
    kept = [h for h in kept if h.start < h.end]
    cuts = sorted({0, length, *(h.start for h in kept), *(h.end for h in kept)})
    starting = sorted(kept, key=lambda h: (h.start, h.end))
    active: list[Highlight] = []
    following = 0
    for start, end in pairwise(cuts):
        active = [h for h in active if h.end > start]
        while following < len(starting) and starting[following].start <= start:
            active.append(starting[following])
            following += 1
        yield _Piece(start, end, tuple(active))


def _escaped(text: str, start: int, end: int, hidden: frozenset[int]) -> str:
    parts: list[str] = []
    last = start
    for position in range(start, end) if hidden else ():
        if position not in hidden or position < last:
            continue
        character, run = text[position], position + 1
        while run < end and run in hidden and text[run] == character:
            run += 1
        parts.append(html.escape(text[last:position], quote=True))
        parts.append(_mark_html(character, run - position))
        last = run
    parts.append(html.escape(text[last:end], quote=True))
    return "".join(parts)


def _mark_html(character: str, times: int) -> str:
    counted = f' data-times="{times}"' if times > 1 else ""
    return (
        f'<span data-hidden="{ord(character):X}"{counted} title="{html.escape(describe(character), quote=True)}">'
        f"{marked(character, times)}</span>"
    )


def text_html(
    text: str, highlights: Sequence[Highlight] = (), *, height: int | None = None, limit: int = SHOWN_CHARACTERS
) -> str:
    """Safe HTML of an untrusted text.

    Parameters
    ----------
    text : any string, lone surrogates and controls included.
    highlights : spans [start, end) in characters of ``text``; they may overlap and are clipped to the text.
    height : pixels after which the text scrolls; ``None`` shows all of it.
    limit : characters shown; the rest is counted below the text.

    Returns
    -------
    One ``<pre>`` whose only elements are ``<span>`` of this module: text content without the elements that carry
    ``data-label``, and with those that carry ``data-hidden`` turned back (``data-times`` times), is ``text[:limit]``.
    """
    shown = text[:limit]
    hidden = frozenset(hidden_positions(shown))
    body: list[str] = []
    for piece in _pieces(len(shown), highlights):
        content = _escaped(shown, piece.start, piece.end, hidden)
        if not piece.active:
            body.append(content)
            continue
        tags = "".join(
            f'<span data-label="1" style="{tag_style(h)}">{html.escape(h.label, quote=True)}</span>'
            for h in piece.active
            if h.label and h.start == piece.start
        )
        notes = " · ".join(h.note for h in piece.active if h.note)
        title = f' title="{html.escape(notes, quote=True)}"' if notes else ""
        kinds = " ".join(sorted({h.kind for h in piece.active}))
        body.append(f'{tags}<span data-kind="{kinds}"{title} style="{segment_style(piece.active)}">{content}</span>')
    scroll = f";max-height:{height}px" if height else ""
    # An empty first element keeps the HTML parser from swallowing a newline that the text begins with
    result = f'<pre tabindex="0" style="{_PRE}{scroll}"><span></span>{"".join(body)}</pre>'
    if len(text) > limit:
        result += f'<div style="{_NOTE}">{len(text) - limit:,} more characters are not shown.</div>'
    return result


def show_text(text: str, highlights: Sequence[Highlight] = (), *, height: int | None = 420) -> None:
    """Draw an untrusted text on the page."""
    if not text:
        st.caption("The text is empty.")
        return
    st.html(text_html(text, highlights, height=height))
