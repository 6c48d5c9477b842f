"""Moves that stored columns cannot answer, each with its reason."""

from __future__ import annotations

from enum import StrEnum

from ragsieve_core.errors import InputError


class Unanswerable(StrEnum):
    """Why a move is refused rather than guessed at."""

    DEEPER_THAN_STORED = "deeper_than_stored"
    """Neighbours beyond the stored ones were never searched."""
    BELOW_TAIL_START = "below_tail_start"
    """Groups below this evidence were not checked for language islands."""
    NEEDS_WORDS = "needs_words"
    """The rule compares words inside groups, which the scan does not store."""
    NOT_STORED = "not_stored"
    """The scan holds no columns that this would be worked out from."""
    UNKNOWN_NAME = "unknown_name"
    """No parameter of this name."""


class RefusedMoveError(InputError):
    """A move that stored columns cannot answer.

    Attributes
    ----------
    reason : which of :class:`Unanswerable`.
    """

    def __init__(self, reason: Unanswerable, what: str, *, where: str, expected: str = "", do: str = "") -> None:
        self.reason = reason
        super().__init__(what, where=where, expected=expected, do=do)
