"""Labelled facts and times, drawn safely and the same everywhere."""

from __future__ import annotations

import html
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from app.components.labels import html_label


def moment(value: datetime | None) -> str:
    """A stored time (UTC) to the minute; a dash for none."""
    return "–" if value is None else f"{value:%Y-%m-%d %H:%M} UTC"


def age(hours: float) -> str:
    """An age in the unit a person would use."""
    if hours < 1:
        return f"{max(0, hours * 60):.0f} min"
    return f"{hours:.0f} h" if hours < 48 else f"{hours / 24:.0f} d"


def facts_html(facts: Mapping[str, Any]) -> str:
    """Names and untrusted values in a grid; empty ones are left out."""
    cells = "".join(
        f'<div><div style="font-size:0.78rem;opacity:0.7">{html.escape(name)}</div>'
        f'<div style="overflow-wrap:anywhere">{html_label(value, 300)}</div></div>'
        for name, value in facts.items()
        if value not in (None, "")
    )
    return (
        '<div style="display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:0.7rem 1.5rem">'
        f"{cells}</div>"
    )


_KICKER = "font-size:0.85rem;opacity:0.75;margin-bottom:0.15rem"
_TITLE = "font-size:1.6rem;line-height:1.25;margin:0;padding:0;overflow-wrap:anywhere"


def heading_html(kicker: str, title: object) -> str:
    """The title line of a page about an untrusted thing; ``kicker`` is ours."""
    return f'<div style="{_KICKER}">{html.escape(kicker)}</div><h1 style="{_TITLE}">{html_label(title, 200)}</h1>'
