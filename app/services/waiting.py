"""What a person is told while a command waits for the owner of the warehouse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from warehouse.owner import Holder

Say = Callable[[str], None]

FIRST_S = 2.0
EVERY_S = 10.0
WAIT_S = 600.0
"""Seconds a command waits for a receipt before it gives up; what it handed over stays in the inbox."""


@contextmanager
def waiting(say: Say, *, to: str = "take it in") -> Iterator[Callable[[float, Holder | None], None]]:
    """A callback that says after two seconds, and then every ten, whom a command waits for and ``to`` do what."""
    due = FIRST_S

    def on_wait(seconds: float, holder: Holder | None) -> None:
        nonlocal due
        if seconds >= due:
            due = seconds + EVERY_S
            owner = f"`{holder.command}` (process {holder.pid})" if holder else "an owner"
            say(f"waiting for {owner} to {to}: {seconds:.0f} s")

    yield on_wait
