"""What the anchor and script terms need of a text alone: its words and its script counts."""

from __future__ import annotations

from dataclasses import dataclass

from ragsieve_core.text.scripts import ScriptProfile, script_profile
from ragsieve_core.text.words import ascii_words


@dataclass(frozen=True, slots=True)
class LexicalFeatures:
    """One text.

    Attributes
    ----------
    words : its distinct ``[a-z0-9]+`` words, casefolded.
    profile : letters per coarse script, mixed fraction, transitions.
    """

    words: frozenset[str]
    profile: ScriptProfile


def lexical_features(text: str) -> LexicalFeatures:
    """Both, from the text."""
    return LexicalFeatures(ascii_words(text), script_profile(text))
