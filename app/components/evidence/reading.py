"""Stored evidence as plain values: JSON columns decoded once, absent parts as empty ones."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from app.components.evidence import shape

_RUN: Final = {"script": "text", "start": "whole", "end": "whole", "letters": "whole?"}
_WINDOW: Final = {
    "window": "count",
    "gate": "positive",
    "burst": "number",
    "change": "number",
    "burst_at": "whole?",
    "change_at": "whole?",
}


def decoded(value: Any, empty: Any) -> Any:
    """A JSON column as a value: text is parsed, ``None`` and broken text give ``empty``."""
    if value is None or value == "":
        return empty
    if not isinstance(value, str | bytes):
        return value
    try:
        found = json.loads(value)
    except ValueError:
        return empty
    return found if isinstance(found, type(empty)) else empty


def number(value: Any, digits: int = 3) -> str:
    """A figure for text: fixed digits, four significant where it would round to nothing, a dash where there is none."""
    if value is None:
        return "–"
    if value != 0 and abs(value) < 10**-digits:
        return f"{value:.1e}"
    return f"{value:.{digits}f}"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One candidate with everything its four terms are made of.

    Attributes
    ----------
    row : the numbers by METHOD's names.
    anchors : list of {token, K, x, p}.
    runs : list of {script, start, end}.
    windows : per window length {window, gate, burst, burst_at, change, change_at}.
    nll : nats per scored token; ``nll_offsets`` their character spans.
    f1 : per alignment window; ``spans`` token spans; ``jump_at``; ``token_offsets`` character spans of the tokens.
    tail_ids, tail_script, tail_jumps : what it was ranked against.
    guard_ids : documents on neither side, `calibrated` only.
    own : what `calibrated` says of the candidate itself, empty under `paper`: coverage, windows, repeats_question,
        copy_of, misplaced, letters, findings.
    short : the tail is shorter than the rule was measured with.
    word_weights : where the weights of words were counted, ``snapshot`` or ``ranking``.
    """

    row: Mapping[str, Any]
    anchors: list[dict[str, Any]] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)
    windows: list[dict[str, Any]] = field(default_factory=list)
    nll: list[float] = field(default_factory=list)
    nll_offsets: list[list[int]] = field(default_factory=list)
    f1: list[float] = field(default_factory=list)
    spans: list[list[int]] = field(default_factory=list)
    jump_at: int | None = None
    token_offsets: list[list[int]] = field(default_factory=list)
    tail_ids: list[str] = field(default_factory=list)
    tail_script: list[float] = field(default_factory=list)
    tail_jumps: list[float] = field(default_factory=list)
    guard_ids: list[str] = field(default_factory=list)
    own: dict[str, Any] = field(default_factory=dict)
    short: bool = False
    word_weights: str = ""

    @property
    def calibrated(self) -> bool:
        """Whether the `calibrated` rule scored it."""
        return bool(self.own)


def candidate(row: Mapping[str, Any]) -> Candidate:
    """Decode a row of ``candidate_evidence``."""
    surprisal = shape.mapping(decoded(row.get("surprisal"), {}))
    alignment = shape.mapping(decoded(row.get("alignment"), {}))
    tail = shape.mapping(decoded(row.get("tail"), {}))
    own, f1 = shape.own(tail.get("candidate")), shape.numbers(alignment.get("f1"))
    windows = shape.pairs(alignment.get("windows"))
    known = len(f1) == len(windows)
    return Candidate(
        row=row,
        anchors=shape.anchors(decoded(row.get("anchors"), []), weighed=bool(own)),
        runs=shape.entries(decoded(row.get("script_runs"), []), **_RUN),
        windows=shape.entries(surprisal.get("windows"), **_WINDOW),
        nll=shape.numbers(surprisal.get("nll")),
        nll_offsets=shape.pairs(surprisal.get("offsets")),
        f1=f1 if known else [],
        spans=windows if known else [],
        jump_at=shape.whole(alignment.get("jump_at")),
        token_offsets=shape.pairs(alignment.get("offsets")),
        tail_ids=shape.texts(tail.get("document_ids")),
        tail_script=shape.numbers(tail.get("v_script")),
        tail_jumps=shape.numbers(tail.get("alignment_jump")),
        guard_ids=shape.texts(tail.get("guard_ids")),
        own=own,
        short=tail.get("short") is True,
        word_weights=str(tail.get("word_weights", "")),
    )


def characters(offsets: Sequence[Sequence[int]], first: int, last: int) -> tuple[int, int]:
    """Character span of tokens [first, last); (0, 0) where the offsets are not known."""
    part = [pair for pair in offsets[max(0, first) : last] if pair[1] > pair[0]]
    return (min(p[0] for p in part), max(p[1] for p in part)) if part else (0, 0)
