"""Whether a document repeats the question word for word: a state to show, never a score.

Quizzes and question lists do so in good faith, and one document that does is no proof of anything.
"""

from __future__ import annotations

from ragsieve_core.rsq.calibrated.words import Words, cut_words

_SHORTEST = 4
"""Words below which a repetition is a phrase, not a question."""


def repeats_question(query: str, text: str, words: Words | None = None) -> bool:
    """Whether the words of ``query``, at least four, stand in ``text`` one after the other.

    ``words`` are those of ``text``, where they are known.
    """
    asked, held = cut_words(query).words, (cut_words(text) if words is None else words).words
    if len(asked) < _SHORTEST:
        return False
    return any(held[start : start + len(asked)] == asked for start, word in enumerate(held) if word == asked[0])
