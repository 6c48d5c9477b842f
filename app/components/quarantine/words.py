"""States, causes and canary outcomes in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

STATES: Final = {
    "proposed": "waits for approval",
    "in_force": "in force",
    "superseded": "was in force",
    "rejected": "rejected",
}
CAUSES: Final = {
    "quarantine": "verdict quarantine",
    "release": "release",
    "undo": "undo",
    "rollback": "roll-back",
    "expiry": "time over",
}
OUTCOMES: Final = {
    "verified_absent": "verified absent",
    "still_present": "still present",
    "restored": "restored",
    "not_restored": "not restored",
    "unreplayed": "unreplayed",
}
METHODS: Final = {"retrieval": "searched again", "stored_ranking": "stored ranking, filtered"}


def version_name(row: Mapping[str, Any]) -> str:
    """``#3 · in force · 12 documents``."""
    return f"#{row['sequence']} · {STATES.get(row['state'], row['state'])} · {row['members']:,} documents"


def canary_words(run: Mapping[str, Any] | None, state: str) -> str:
    """What the latest replay of a version found, in one line."""
    if run is None:
        waits = {"in_force": "not replayed yet", "superseded": "never replayed"}
        return waits.get(state, "")
    told = [f"{words} {run[name]:,}" for name, words in OUTCOMES.items() if run[name]]
    if not told:
        return "no stored query had reached it"
    # What went wrong comes first: a table cuts the end of a line
    bad = sorted(told, key=lambda one: not one.startswith(("still", "not", "unreplayed")))
    return ", ".join(bad)
