"""Short untrusted strings (titles, ids, contributors, sources): each surface has its own rule."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from app.components.marks import visible

_SPACES = re.compile(r"[ \n\t]+")
_TICKS = re.compile(r"`+")
EMPTY = "–"
T = TypeVar("T")


def plain_label(text: object, limit: int = 80) -> str:
    """One visible line for a plain-text surface: table cell, select option, `st.text`.

    Parameters
    ----------
    text : untrusted; ``None`` and the empty string give a dash.
    limit : most characters before marks are put in; a longer text ends in ``…``.
    """
    # The cut goes first: a label must not cost the time of a text of a million characters
    value = "" if text is None else str(text)
    cut = value[: limit * 4]
    # Only what lays out a page is folded away; every other control stays and becomes a mark
    line = _SPACES.sub(" ", cut).strip(" ")
    if len(line) > limit or len(value) > len(cut):
        line = line[: limit - 1].rstrip(" ") + "…"
    shown = visible(line)
    return (shown if len(shown) <= 3 * limit else shown[: 3 * limit - 1] + "…") or EMPTY


def safe_label(text: object, limit: int = 80) -> str:
    """The same line for a Markdown surface: a label of a widget, a heading, a caption.

    It is wrapped as a code span with a fence that the text cannot close: in there Markdown knows no link, image,
    directive, emoji, formula or HTML. Escaping with backslashes would not do: addresses and emoji names are recognised
    after the escapes are gone.
    """
    line = plain_label(text, limit)
    fence = "`" * (max((len(run) for run in _TICKS.findall(line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def apart(options: Iterable[T], shown: Callable[[T], str] = plain_label) -> Callable[[T], str]:
    """A ``format_func`` that gives no two options one label; a label that was there before gets a number.

    A list of Streamlit finds the chosen option by its label. Two documents whose names differ after the cut, or two
    tokens of one name, would be one choice: the first of them would be acted on.
    """
    names: dict[T, str] = {}
    taken: set[str] = set()
    for option in options:
        label = name = shown(option)
        number = 1
        while name in taken:
            number += 1
            name = f"{label} ({number})"
        taken.add(name)
        names[option] = name
    return lambda option: names[option] if option in names else shown(option)


def chart_label(text: object, limit: int = 28) -> str:
    """The same line for text of a Plotly figure, which understands a few HTML tags, links among them."""
    return html.escape(plain_label(text, limit), quote=False)


def html_label(text: object, limit: int = 160) -> str:
    """The same line escaped for an HTML string of ours."""
    return html.escape(plain_label(text, limit), quote=True)


def file_label(text: object, limit: int = 60) -> str:
    """A part of a file name: letters, digits, ``.``, ``_`` and ``-`` only, never empty, no dot in front."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", str(text))[:limit].strip("._") or "item"


def spaced(name: str) -> str:
    """A stored name of ours, such as ``tail_contaminated``, in words."""
    return name.replace("_", " ")
