"""How a gate acts: declared once, shown in every answer, stored with every event."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from ragsieve_core.config import config_key
from ragsieve_core.errors import InputError, nearest

Mode = Literal["enforce", "shadow"]
UnscoredPolicy = Literal["withhold", "pass"]
StrangerPolicy = Literal["score", "withhold"]
LogPolicy = Literal["full", "sampled", "off"]
QueryPolicy = Literal["text", "hash"]


@dataclass(frozen=True, slots=True)
class GateConfig:
    """Every setting of a gate.

    Attributes
    ----------
    mode : ``enforce`` changes the context; ``shadow`` hands out the ranking's own first k and says what it would do.
    budget_ms : time of a call for features and scoring, milliseconds, > 0. At the limit the quarantine still applies
        and a document without features is unscored.
    unscored : what happens to unscored documents: ``withhold`` keeps them out of the context, ``pass`` lets them in,
        marked.
    unknown : documents the snapshot does not hold: ``score`` treats the given text like any other, ``withhold`` keeps
        them out.
    changed : documents the snapshot holds with another text; likewise.
    too_short : fewer survivors than the rule can score: ``pass`` answers with the first k of them, ``withhold`` with
        none.
    longest_text : characters, >= 1; a longer text gets no features and is unscored.
    depth : documents kept of an own ranking, >= 1.
    largest_ranking : documents a given ranking may hold, >= 1.
    log : events written: ``full``, ``sampled`` (what was removed or not ok always, the rest by ``sample``), ``off``.
    sample : share of uneventful calls that ``sampled`` keeps, 0 to 1.
    query_log : ``text``, or ``hash`` for the keyed hash alone.
    """

    mode: Mode = "enforce"
    budget_ms: float = 2000.0
    unscored: UnscoredPolicy = "withhold"
    unknown: StrangerPolicy = "score"
    changed: StrangerPolicy = "score"
    too_short: UnscoredPolicy = "pass"
    longest_text: int = 100_000
    depth: int = 100
    largest_ranking: int = 1000
    log: LogPolicy = "full"
    sample: float = 0.1
    query_log: QueryPolicy = "text"

    def __post_init__(self) -> None:
        choices: tuple[tuple[str, object, tuple[str, ...]], ...] = (
            ("mode", self.mode, get_args(Mode)),
            ("unscored", self.unscored, get_args(UnscoredPolicy)),
            ("unknown", self.unknown, get_args(StrangerPolicy)),
            ("changed", self.changed, get_args(StrangerPolicy)),
            ("too_short", self.too_short, get_args(UnscoredPolicy)),
            ("log", self.log, get_args(LogPolicy)),
            ("query_log", self.query_log, get_args(QueryPolicy)),
        )
        for name, value, known in choices:
            if not isinstance(value, str) or value not in known:
                raise InputError(
                    f"unknown value {value!r}", where=f"gate setting {name}", expected=nearest(str(value), known)
                )
        bounds: tuple[tuple[str, object, float, float], ...] = (
            ("budget_ms", self.budget_ms, 1.0, 600_000.0),
            ("sample", self.sample, 0.0, 1.0),
        )
        for name, value, low, high in bounds:
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                raise InputError(
                    f"{value!r} is out of range", where=f"gate setting {name}", expected=f"{low:g} to {high:g}"
                )
        counts: tuple[tuple[str, object], ...] = (
            ("longest_text", self.longest_text),
            ("depth", self.depth),
            ("largest_ranking", self.largest_ranking),
        )
        for name, value in counts:
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(
                    f"{value!r} is out of range", where=f"gate setting {name}", expected="a whole number from 1"
                )

    @property
    def key(self) -> str:
        """Hash over every field."""
        return config_key(self)

    def shown(self) -> dict[str, Any]:
        """Every field as plain JSON values."""
        return asdict(self)


def gate_config(given: Mapping[str, object]) -> GateConfig:
    """A configuration from named values; the defaults for the rest.

    Raises
    ------
    InputError : an unknown name, or a value out of range.
    """
    known = [field.name for field in fields(GateConfig)]
    for name in given:
        if name not in known:
            raise InputError(f"no setting {name!r}", where="gate settings", expected=nearest(str(name), known))
    values: dict[str, Any] = dict(given)
    return GateConfig(**values)


def read_gate_config(file: Path) -> dict[str, object]:
    """Settings of a JSON file, checked as :func:`gate_config` checks them.

    Raises
    ------
    InputError : not readable, no JSON object, or settings that do not fit.
    """
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"the gate's settings cannot be read ({error})", where=str(file)) from error
    if not isinstance(found, dict):
        raise InputError("no JSON object", where=str(file), expected='settings by name, as {"mode": "shadow"}')
    try:
        gate_config(found)
    except InputError as error:
        raise InputError(error.what, where=f"{file}: {error.where}", expected=error.expected) from error
    return found
