"""One call for a command that has something for the warehouse: take the lock if it is free, else wait for a receipt."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from ragsieve_core.errors import BusyError
from warehouse.database import Warehouse
from warehouse.inbox import Receipt, inbox_principal, read_receipt, submit, take_bytes, take_in
from warehouse.owner import Holder, current_holder, resolve
from warehouse.principal import Principal
from warehouse.segment_kinds import snapshot_request
from warehouse.side import Side
from warehouse.snapshot_files import read_snapshot_files
from warehouse.snapshots import SnapshotDocuments

Waiting = Callable[[float, Holder | None], None]
"""Called about twice a second while waiting, with the seconds so far and the owner that is waited for."""

_POLL_S = 0.05


def deliver(
    path: str | os.PathLike[str],
    data: bytes,
    *,
    command: str,
    wait_s: float = 600.0,
    principal: Principal | None = None,
    on_wait: Waiting | None = None,
) -> Receipt:
    """Have a segment taken in and return its receipt: by this process if nobody owns the warehouse, else by the owner.

    Parameters
    ----------
    principal : who acts where this process takes it in itself; default the inbox's own principal.

    Raises
    ------
    BusyError
        no receipt within ``wait_s``; the segment stays in the inbox and will still be taken in.
    """
    try:
        with Warehouse.open(path, command=command) as wh:
            return take_bytes(wh, data, principal=principal or inbox_principal(os.getuid()), route="inbox")
    except BusyError:
        name = submit(path, data)
    return wait_for_receipt(path, name, command=command, wait_s=wait_s, on_wait=on_wait)


def wait_for_receipt(
    path: str | os.PathLike[str], segment: str, *, command: str, wait_s: float = 600.0, on_wait: Waiting | None = None
) -> Receipt:
    """Wait until the owner has taken a segment in; if the owner ends, take the lock and do it here.

    Raises
    ------
    BusyError
        no receipt within ``wait_s``.
    """
    started = told = time.monotonic()
    while True:
        receipt = read_receipt(path, segment)
        if receipt is not None:
            return receipt
        now = time.monotonic()
        if now - told >= 0.5:
            told = now
            holder = current_holder(path)
            if holder is None:
                _take_over(path, command)
                continue
            if on_wait is not None:
                on_wait(now - started, holder)
        if now - started > wait_s:
            holder = current_holder(path)
            raise BusyError(
                f"no receipt for segment {segment[:12]}… after {wait_s:.0f} s",
                where=str(resolve(path)),
                expected=f"the owner, {holder}, to take it in" if holder else "an owner to take it in",
                do="look at the owner; the segment stays in the inbox and will be taken in once",
            )
        time.sleep(_POLL_S)


def _take_over(path: str | os.PathLike[str], command: str) -> None:
    try:
        with Warehouse.open(path, command=command) as wh:
            take_in(wh)
    except BusyError:
        return


def fetch_snapshot(
    path: str | os.PathLike[str],
    *,
    command: str,
    corpus: str = "",
    snapshot: str = "",
    encoder: str | None = None,
    wait_s: float = 600.0,
    on_wait: Waiting | None = None,
) -> tuple[SnapshotDocuments | None, Receipt]:
    """A snapshot's documents for a process that does not own the warehouse: asked of the owner, read from files.

    Returns None with the refused receipt where the owner has no such snapshot.
    """
    receipt = deliver(
        path, snapshot_request(corpus, snapshot, encoder), command=command, wait_s=wait_s, on_wait=on_wait
    )
    if receipt.state != "taken":
        return None, receipt
    folder: Path = Side(resolve(path)).root / str(receipt.result["folder"])
    return read_snapshot_files(folder), receipt


@cache
def be_considerate() -> int:
    """Lower this process's priority and leave one core free, for scans while an owner lives; returns the cores left.

    Once per process, however often it is called: an audit of many rounds must not end on one core.
    """
    os.nice(10)
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if len(cores) > 1:
        os.sched_setaffinity(0, cores[1:])
        return len(cores) - 1
    return len(cores) or 1
