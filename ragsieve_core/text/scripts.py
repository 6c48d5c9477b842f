"""Coarse scripts by Unicode name, as the `paper` rules use them (METHOD, "Script integrity")."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

SCRIPTS = (
    "LATIN",
    "CYRILLIC",
    "ARABIC",
    "HEBREW",
    "DEVANAGARI",
    "BENGALI",
    "THAI",
    "ARMENIAN",
    "GEORGIAN",
    "GREEK",
)
"""Names looked for as a substring of the character's Unicode name; the first found, in this order, wins."""

EAST_ASIAN_NAMES = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL")


@lru_cache(maxsize=65_536)
def coarse_script(character: str) -> str | None:
    """Coarse script of one character, or None if it is not alphabetic (``str.isalpha``).

    Returns one of :data:`SCRIPTS`, ``EAST_ASIAN``, or ``OTHER`` (any other letter, and letters without a name).
    """
    if not character.isalpha():
        return None
    name = unicodedata.name(character, "")
    for script in SCRIPTS:
        if script in name:
            return script
    if any(part in name for part in EAST_ASIAN_NAMES):
        return "EAST_ASIAN"
    return "OTHER"


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """A maximal stretch of letters of one coarse script.

    Attributes
    ----------
    script : coarse script.
    start, end : character span [start, end) from its first to its last letter; non-letters inside it do not end it.
    letters : number of letters in it.
    """

    script: str
    start: int
    end: int
    letters: int


@dataclass(frozen=True, slots=True)
class ScriptProfile:
    """Script counts of one text.

    Attributes
    ----------
    mixed_fraction : 1 - share of the dominant script among the letters, in [0, 1); 0 if there are no letters.
    counts : (script, letters) pairs, most frequent first, equal counts by name.
    transitions : number of adjacent character pairs that are both letters and of different scripts.
    """

    mixed_fraction: float
    counts: tuple[tuple[str, int], ...]
    transitions: int

    @property
    def script_count(self) -> int:
        """Number of distinct coarse scripts."""
        return len(self.counts)


def script_profile(text: str) -> ScriptProfile:
    """Letter counts per coarse script, mixed fraction and transitions of ``text``."""
    # Per distinct character and per distinct pair: a text has few of either, so the cost is two C-level counts.
    counts: Counter[str] = Counter()
    for character, number in Counter(text).items():
        script = coarse_script(character)
        if script is not None:
            counts[script] += number
    letters = sum(counts.values())
    mixed = 1.0 - max(counts.values()) / letters if letters else 0.0
    transitions = 0
    if len(counts) > 1:
        for (left, right), number in Counter(pairwise(text)).items():
            before, after = coarse_script(left), coarse_script(right)
            if before is not None and after is not None and before != after:
                transitions += number
    ordered = tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    return ScriptProfile(mixed, ordered, transitions)


def script_runs(text: str) -> tuple[ScriptRun, ...]:
    """Runs of letters of one coarse script, in order, for display and for a reviewer's eye."""
    runs: list[ScriptRun] = []
    script_of = {character: coarse_script(character) for character in set(text)}
    if len({script for script in script_of.values() if script is not None}) == 1:
        return (_only_run(text, script_of),)
    current: str | None = None
    start = end = letters = 0
    for position, character in enumerate(text):
        script = script_of[character]
        if script is None:
            continue
        if script == current:
            end = position + 1
            letters += 1
            continue
        if current is not None:
            runs.append(ScriptRun(current, start, end, letters))
        current, start, end, letters = script, position, position + 1, 1
    if current is not None:
        runs.append(ScriptRun(current, start, end, letters))
    return tuple(runs)


def _only_run(text: str, script_of: Mapping[str, str | None]) -> ScriptRun:
    """The run of a text that has letters of one script alone, as most have."""
    script = next(found for found in script_of.values() if found is not None)
    start = next(place for place, character in enumerate(text) if script_of[character] is not None)
    end = next(place for place in range(len(text), 0, -1) if script_of[text[place - 1]] is not None)
    letters = sum(number for character, number in Counter(text).items() if script_of[character] is not None)
    return ScriptRun(script, start, end, letters)
