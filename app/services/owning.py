"""The warehouse for a command that must own it: what decides, or what rewrites the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragsieve_core.errors import BusyError, InputError
from warehouse.database import Warehouse
from warehouse.owner import current_holder, resolve
from warehouse.principal import Principal, local_principal

DASHBOARD = "dashboard"
"""Command that the dashboard writes into the owner lock."""


def existing(path: Path) -> Path:
    """The resolved path of a warehouse that is there: a command that reads or decides never makes one.

    Raises
    ------
    InputError
        no such file.
    """
    found = resolve(path)
    if not found.exists():
        raise InputError(
            "no warehouse here",
            where=str(path),
            expected="a warehouse that `ragsieve ingest` or `ragsieve demo` made",
            do="name it with --warehouse FILE, or set RAGSIEVE_WAREHOUSE",
        )
    return found


@contextmanager
def owning(path: Path, *, command: str, action: str) -> Iterator[tuple[Warehouse, Principal]]:
    """Open the warehouse as its owner, acting as the user of the operating system.

    Parameters
    ----------
    command : name shown to whoever finds the warehouse held.
    action : what is refused while another process owns it, to follow "cannot".

    Raises
    ------
    BusyError
        another process owns it. Nothing of this kind goes through the inbox, which takes data and no decisions.
    """
    file = existing(path)
    try:
        wh = Warehouse.open(file, command=command)
    except BusyError as busy:
        raise refused(file, action) from busy
    with wh:
        yield wh, local_principal()


def refused(file: Path, action: str) -> BusyError:
    """Why a command that decides is refused while an owner lives, and where to go instead."""
    holder = current_holder(file)
    dashboard = holder is not None and holder.command == DASHBOARD
    who = f"held by {holder}" if holder else "held by another process"
    if dashboard:
        return BusyError(
            f"the warehouse is {who}, so this command cannot {action}",
            where=str(file),
            expected="decisions and administration on the owner's screens while it runs; its inbox takes data only",
            do="use the dashboard, or stop it (Ctrl-C in its terminal) and run this again",
        )
    return BusyError(
        f"the warehouse is {who}, so this command cannot {action}",
        where=str(file),
        expected="a warehouse that no other process owns",
        do="run it again when that command has ended",
    )
