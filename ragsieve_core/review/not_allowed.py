"""The error of a step that the state of an alert does not allow."""

from __future__ import annotations

from ragsieve_core.errors import InputError


class NotAllowedError(InputError):
    """A step that the current state does not allow (exit 2); ``reason`` is its stored, shown name."""

    def __init__(self, reason: str, what: str, *, where: str = "", expected: str = "", do: str = "") -> None:
        self.reason = reason
        super().__init__(what, where=where, expected=expected, do=do)
