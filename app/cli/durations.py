"""Lengths of time on the command line: 90s, 15m, 2h, 1d."""

from __future__ import annotations

import re

import click

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_TEXT = re.compile(r"^(\d+(?:\.\d+)?)([smhd]?)$")


class Duration(click.ParamType[float]):
    """A number with an optional unit (s, m, h, d; seconds without one), above 0, as seconds."""

    name = "duration"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds."""
        if isinstance(value, float):
            return value
        found = _TEXT.match(str(value).strip().lower())
        seconds = float(found[1]) * _UNITS[found[2] or "s"] if found else 0.0
        if not 0 < seconds <= 366 * 86400.0:
            self.fail(f"{value!r} is no length of time; expected for instance 90s, 15m, 2h or 1d", param, ctx)
        return seconds
