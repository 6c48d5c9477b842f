"""The open warehouse of this server process, and who is using the page.

The warehouse is opened once per process, as its owner, and shared by all sessions: every query takes a cursor of its
own inside the warehouse. A page asks :func:`desk` for it and never opens or closes anything.
"""

from __future__ import annotations

import atexit
import os
import threading
from dataclasses import dataclass
from pathlib import Path

from app.cli.options import DEFAULT_WAREHOUSE
from ragsieve_core.errors import InputError
from warehouse.database import Warehouse
from warehouse.principal import Principal, local_principal

COMMAND = "dashboard"
VARIABLE = "RAGSIEVE_WAREHOUSE"


class MissingWarehouseError(InputError):
    """There is no file to open: the dashboard shows what to run and never makes one itself."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What a page works with."""

    warehouse: Warehouse
    principal: Principal

    @property
    def single_user(self) -> bool:
        """True where nobody signs in: the page runs as the user of the operating system."""
        return self.principal.mode == "single_user_mode"


_guard = threading.Lock()
_open: dict[Path, Warehouse] = {}


def warehouse_path() -> Path:
    """The file of this server: ``RAGSIEVE_WAREHOUSE``, else ``ragsieve.duckdb`` in the current folder."""
    return Path(os.environ.get(VARIABLE) or DEFAULT_WAREHOUSE).absolute()


def open_warehouse(path: Path | None = None) -> Warehouse:
    """The warehouse of this process, opened on the first call and kept.

    Raises
    ------
    MissingWarehouseError
        no such file.
    BusyError
        another process owns it.
    InputError
        not a warehouse, a newer one, or not readable.
    """
    file = Path(os.path.realpath(path or warehouse_path()))
    with _guard:
        known = _open.get(file)
        if known is not None and not known.closed:
            return known
        if not file.exists():
            raise MissingWarehouseError(
                "no warehouse here yet",
                where=str(file),
                do="run `ragsieve demo`, or `ragsieve ingest --corpus NAME FILE`, then reload this page",
            )
        _open[file] = Warehouse.open(file, command=COMMAND)
        return _open[file]


def close_warehouses() -> None:
    """Close what this process opened; a second call does nothing."""
    with _guard:
        while _open:
            _open.popitem()[1].close()


atexit.register(close_warehouses)


def desk() -> Desk:
    """Warehouse and principal for one run of a page; raises what :func:`open_warehouse` raises."""
    return Desk(open_warehouse(), local_principal())
