"""The open warehouse of this server process, and who is using the page.

The warehouse is opened once per process, as its owner, and shared by all sessions: every query takes a cursor of its
own inside the warehouse. While it is open, one thread takes in what other processes leave in the inbox and another
answers their questions. A page asks :func:`desk` for it and never opens or closes anything.
"""

from __future__ import annotations

import atexit
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.options import DEFAULT_WAREHOUSE
from app.services.background import Background
from app.services.canary_watch import CanaryWatch
from app.services.owner_jobs import JobWorker
from app.services.owning import DASHBOARD as COMMAND
from ragsieve_core.errors import InputError
from warehouse.database import Warehouse
from warehouse.inbox import InboxWorker
from warehouse.principal import Principal

if TYPE_CHECKING:
    from app.identity import Proof

VARIABLE = "RAGSIEVE_WAREHOUSE"


class MissingWarehouseError(InputError):
    """There is no file to open: the dashboard shows what to run and never makes one itself."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What a page works with."""

    warehouse: Warehouse
    inbox: InboxWorker
    canary: CanaryWatch
    background: Background
    proof: Proof

    @property
    def principal(self) -> Principal:
        """Who looks at the page, proved anew at each use; raises what :func:`app.identity.prove` raises.

        A callback or a download may run long after its page was drawn, and a role that was taken away ends at once.
        """
        from app.identity import prove

        return prove(self.warehouse, self.proof)

    @property
    def single_user(self) -> bool:
        """True where nobody signs in: the page runs as the user of the operating system."""
        return self.principal.mode == "single_user_mode"


class _Owned:
    """An open warehouse with the threads that serve other processes."""

    def __init__(self, file: Path) -> None:
        self.warehouse = Warehouse.open(file, command=COMMAND)
        self.inbox = InboxWorker(self.warehouse).start()
        self._jobs = JobWorker(self.warehouse).start()
        self.canary = CanaryWatch(self.warehouse).start()
        self.background = Background()

    def close(self) -> None:
        """Join the threads first: one inside a query when the file closes would abort the interpreter."""
        self.background.stop()
        self.canary.stop()
        self._jobs.stop()
        self.inbox.stop()
        self.warehouse.close()


_guard = threading.Lock()
_open: dict[Path, _Owned] = {}


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
    return _owned(path).warehouse


def _owned(path: Path | None = None) -> _Owned:
    file = Path(os.path.realpath(path or warehouse_path()))
    with _guard:
        known = _open.get(file)
        if known is not None and not known.warehouse.closed:
            return known
        if not file.exists():
            raise MissingWarehouseError(
                "no warehouse here yet",
                where=str(file),
                do="run `ragsieve demo`, or `ragsieve ingest --corpus NAME FILE`, then reload this page",
            )
        _open[file] = _Owned(file)
        return _open[file]


def close_warehouses() -> None:
    """Close what this process opened; a second call does nothing."""
    with _guard:
        while _open:
            _open.popitem()[1].close()


atexit.register(close_warehouses)


def desk() -> Desk:
    """What one run of a page works with.

    Raises
    ------
    RefusedError
        nobody is signed in, or without a role (:func:`app.identity.prove`).
    MissingWarehouseError, BusyError, InputError
        as :func:`open_warehouse`.
    """
    # The request gate imports this module and has no use for Streamlit
    from app.identity import proof

    owned = _owned()
    here = Desk(owned.warehouse, owned.inbox, owned.canary, owned.background, proof())
    # A page that never asks who looks must not be shown to nobody
    _ = here.principal
    return here
