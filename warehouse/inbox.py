"""Segments of other processes: handed over by rename, taken in exactly once by the owner, answered by a receipt.

The inbox takes data only. What it brings acts as a program (mode ``inbox``): it can add documents, vectors, scans and
events, and can decide nothing.
"""

from __future__ import annotations

import json
import logging
import os
import re
import stat
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path

import duckdb

from warehouse import audit
from warehouse.database import Warehouse
from warehouse.desk_upkeep import keep_up
from warehouse.errors import RefusedError, StorageError
from warehouse.ids import utc_now
from warehouse.owner import resolve
from warehouse.principal import Principal
from warehouse.publish import ensure_published
from warehouse.refusals import Refusal
from warehouse.segments import LIMITS, SegmentLimits, segment_id
from warehouse.side import Side, sync_folder
from warehouse.taking import Receipt, inbox_principal, take_bytes

__all__ = [
    "InboxWorker",
    "Receipt",
    "inbox_principal",
    "read_receipt",
    "submit",
    "sweep",
    "take_bytes",
    "take_in",
    "waiting",
]

_log = logging.getLogger(__name__)
_SUFFIX = ".segment"
_NAME = re.compile(r"^([0-9a-f]{64})\.segment$")
_STALE_S = 3600.0
_RECEIPT_S = 7 * 86400.0
_CONFIRM_S = 20.0
_LOG_BYTES = 256 << 20


def submit(path: str | os.PathLike[str], data: bytes) -> str:
    """Leave a segment for the owner of the warehouse; returns its id. Needs no lock and opens no database."""
    side = Side(resolve(path))
    side.create()
    name = segment_id(data)
    target = side.folder("inbox") / f"{name}{_SUFFIX}"
    if not target.exists():
        side.write(target, lambda stream: stream.write(data))
    return name


def read_receipt(path: str | os.PathLike[str], segment: str) -> Receipt | None:
    """The receipt of a segment, or None while no owner took it in."""
    file = Side(resolve(path)).folder("receipts") / f"{segment}.json"
    try:
        return Receipt(**json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def waiting(path: str | os.PathLike[str]) -> int:
    """Segments in the inbox."""
    folder = Side(resolve(path)).folder("inbox")
    return sum(1 for entry in folder.iterdir() if entry.suffix == _SUFFIX) if folder.is_dir() else 0


def take_in(wh: Warehouse, *, limits: SegmentLimits = LIMITS, at_most: int | None = None) -> list[Receipt]:
    """Take in what lies in the inbox, oldest first, and write the receipts; returns them.

    Files that are no segments of this user are set aside under ``refused/`` and audited, never read.
    """
    receipts = []
    for file in _listed(wh.side.folder("inbox"))[:at_most]:
        receipt = _take_file(wh, file, limits)
        if receipt is not None:
            receipts.append(receipt)
    return receipts


def _listed(folder: Path) -> list[Path]:
    found = []
    for entry in os.scandir(folder):
        try:
            found.append((entry.stat(follow_symlinks=False).st_mtime_ns, entry.name))
        except FileNotFoundError:
            continue
    return [folder / name for _, name in sorted(found)]


def _take_file(wh: Warehouse, file: Path, limits: SegmentLimits) -> Receipt | None:
    match = _NAME.match(file.name)
    try:
        if match is None:
            raise RefusedError(Refusal.BAD_SEGMENT, "not named as a segment", expected=f"<SHA-256>{_SUFFIX}")
        data = _read_own(file, limits)
        if segment_id(data) != match[1]:
            raise RefusedError(Refusal.WRONG_HASH, "other content than its name says", where=match[1])
    except FileNotFoundError:
        return None
    except RefusedError as error:
        _set_aside(wh, file, str(error.reason))
        return Receipt(file.stem, "unknown", "refused", {}, str(error.reason), str(error))
    receipt = take_bytes(wh, data, principal=inbox_principal(os.getuid()), route="inbox", limits=limits)
    # Committed first, answered second, removed last: after a kill in between, the same bytes give the same receipt.
    text = json.dumps(asdict(receipt), default=str).encode()
    target = wh.side.folder("receipts") / f"{receipt.segment_id}.json"
    # Not forced to the disk: who waits for it loses power with it, and asking again gives the same answer.
    wh.side.write(target, lambda stream: stream.write(text), durable=False)
    file.unlink(missing_ok=True)
    return receipt


def _read_own(file: Path, limits: SegmentLimits) -> bytes:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise RefusedError(Refusal.WRONG_OWNER, f"cannot be opened ({error.strerror})") from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid() or status.st_nlink != 1:
        os.close(descriptor)
        raise RefusedError(Refusal.WRONG_OWNER, "not a regular file of this user under one name")
    with os.fdopen(descriptor, "rb") as stream:
        if status.st_size > limits.max_bytes:
            raise RefusedError(Refusal.TOO_LARGE, f"{status.st_size:,} bytes", expected=f"<= {limits.max_bytes:,}")
        return stream.read(limits.max_bytes + 1)


def _set_aside(wh: Warehouse, file: Path, reason: str) -> None:
    target = wh.side.folder("refused") / f"{utc_now():%Y%m%dT%H%M%S%f}-{file.name[:80]}"
    try:
        os.rename(file, target)
        sync_folder(target.parent)
    except OSError as error:
        _log.warning("a refused file could not be moved out of the inbox: %s", error)
    wh.run_transaction(
        lambda cursor: audit.append(
            cursor, f"inbox:uid-{os.getuid()}", "segment_refused", file.name[:80], {"reason": reason, "route": "inbox"}
        )
    )


def sweep(wh: Warehouse, *, older_s: float = _STALE_S) -> int:
    """Remove temporaries that a killed writer left and receipts older than a week; returns how many files."""
    removed = 0
    for name, age in (("tmp", older_s), ("receipts", max(older_s, _RECEIPT_S))):
        for entry in os.scandir(wh.side.folder(name)):
            try:
                old = time.time() - entry.stat(follow_symlinks=False).st_mtime > age
                if old and entry.is_file(follow_symlinks=False):
                    os.unlink(entry.path)
                    removed += 1
            except FileNotFoundError:
                continue
    return removed


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


class InboxWorker:
    """A thread of the owner that takes segments in, confirms what is in force, sweeps, and folds the log when idle.

    Join it with :meth:`stop` before the process ends: a thread inside a query at exit aborts the interpreter.
    """

    def __init__(self, wh: Warehouse, *, interval_s: float = 0.1) -> None:
        self._wh = wh
        self._interval = interval_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ragsieve-inbox", daemon=True)
        self.taken = 0
        self.refused = 0
        self.problem = ""

    def start(self) -> InboxWorker:
        """Begin; returns itself. Threads take shorter turns at the interpreter from here on.

        At the default of 5 ms a decision, a dozen short queries, would wait 60 ms for a busy inbox thread.
        """
        sys.setswitchinterval(min(sys.getswitchinterval(), 0.0002))
        self._thread.start()
        return self

    def stop(self) -> None:
        """Finish the segment in work and end."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        idle_since, swept, confirmed = time.monotonic(), 0.0, 0.0
        owner = Principal("ragsieve", "admin", mode="start")
        dirty = False
        while not self._stop.is_set():
            try:
                if time.monotonic() - confirmed > _CONFIRM_S:
                    keep_up(self._wh, principal=owner)
                    ensure_published(self._wh, principal=owner)
                    confirmed = time.monotonic()
                receipts = take_in(self._wh, at_most=50)
                self.problem = ""
            except (StorageError, OSError, duckdb.Error) as error:
                # The files stay where they are; the disk may come back.
                self.problem = str(error)
                _log.warning("the inbox could not be taken in: %s", error)
                self._stop.wait(5.0)
                continue
            self.taken += sum(receipt.state == "taken" for receipt in receipts)
            self.refused += sum(receipt.state == "refused" for receipt in receipts)
            now = time.monotonic()
            if receipts:
                idle_since, dirty = now, True
                continue
            if now - swept > 300:
                sweep(self._wh)
                swept = now
            if dirty and (now - idle_since > 10 or _size(self._wh.side.wal) > _LOG_BYTES):
                self._wh.checkpoint()
                dirty = False
            self._stop.wait(self._interval)
