"""Errors a user can cause, each with the exit code of the command line.

Every message answers four questions: what is wrong, where it is, what was expected, and what to do.
They are kept apart so that an error text reads the same wherever it is shown.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

EXIT_DONE = 0
EXIT_REJECTED = 1
EXIT_USAGE = 2
EXIT_BUSY = 3
EXIT_MODEL = 4


class RagsieveError(Exception):
    """Base of every error that is shown to a user as text, never as a traceback.

    Parameters
    ----------
    what : one clause, no final full stop.
    where : ``file:line``, field, document id or option; empty when the whole call is meant.
    expected : what a valid input looks like.
    do : the next step for the user.
    """

    exit_code = EXIT_USAGE

    def __init__(self, what: str, *, where: str = "", expected: str = "", do: str = "") -> None:
        self.what = what
        self.where = where
        self.expected = expected
        self.do = do
        super().__init__(self.render())

    def render(self) -> str:
        """The message as shown: one line for what and where, one each for the rest."""
        lines = [f"{self.where}: {self.what}" if self.where else self.what]
        if self.expected:
            lines.append(f"  expected: {self.expected}")
        if self.do:
            lines.append(f"  do: {self.do}")
        return "\n".join(lines)


class InputError(RagsieveError):
    """A file, record, option or array that does not fit (exit 2)."""

    exit_code = EXIT_USAGE


class BusyError(RagsieveError):
    """The warehouse is held by another process (exit 3)."""

    exit_code = EXIT_BUSY


class ModelUnavailableError(RagsieveError):
    """Weights or tokenizer not on this machine, or not the ones that were asked for (exit 4)."""

    exit_code = EXIT_MODEL


def nearest(name: str, valid: Iterable[str]) -> str:
    """A hint naming the closest valid name, or all of them when none is close.

    Parameters
    ----------
    name : what the user wrote.
    valid : the names that would have been accepted.
    """
    options = sorted(valid)
    close = difflib.get_close_matches(name, options, n=1)
    if close:
        return f"did you mean {close[0]!r}? (one of {', '.join(options)})"
    return f"one of {', '.join(options)}"
