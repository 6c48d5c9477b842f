"""The open warehouse: one root connection, one cursor per query, one write lock, whole-transaction retry."""

from __future__ import annotations

import contextlib
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import duckdb

from ragsieve_core.formats.protected import protect, unprotect
from warehouse import chain
from warehouse.database_file import check_file, connect
from warehouse.errors import StorageError
from warehouse.owner import Owner, resolve
from warehouse.side import Side, sync_folder
from warehouse.storage_errors import is_storage, storage_error

T = TypeVar("T")

_TRIES = 5
HISTORY_BLOCK = 1 << 24
"""Rows that one statement may append to the alert history."""
_RETRY = ("Conflict on", "has been altered", "write-write conflict")


class Warehouse:
    """One owned DuckDB file and what lies beside it. Make it with :meth:`open`; safe to share between threads."""

    def __init__(self, owner: Owner, side: Side, root: duckdb.DuckDBPyConnection) -> None:
        self.side = side
        self.owner = owner
        self._root: duckdb.DuckDBPyConnection | None = root
        self._bulk = threading.Lock()
        self._commit = threading.Lock()
        self._writers: set[int] = set()
        self._history: int | None = None
        self._guard = threading.Lock()
        self.maintaining = threading.Lock()
        """Held by backup and gc, so that neither removes a file from under the other."""
        self.publishing = threading.Lock()
        """Held while what is in force changes and is written out: files appear in the order of their numbers."""

    @property
    def path(self) -> Path:
        """Resolved path of the DuckDB file. Never open it with plain I/O in this process."""
        return self.side.database

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, command: str, wait_s: float = 0.0) -> Warehouse:
        """Take the owner lock, then create or migrate and open the file.

        Parameters
        ----------
        path : the DuckDB file; created on first use, its folder must exist.
        command : what this process is doing, shown to whoever finds the warehouse busy.
        wait_s : seconds to wait for another owner to end.

        Raises
        ------
        BusyError
            held by another process (exit 3).
        StorageError
            folder or file not writable, disk full.
        SchemaError
            no DuckDB file, another product's file, or a newer schema.
        """
        database = resolve(path)
        owner = Owner.acquire(database, command, wait_s)
        side = Side(database)
        try:
            side.create()
            check_file(database)
            for name in (database, side.wal, side.lock):
                protect(name)
            root = connect(side)
        except BaseException as error:
            _unprotect(side)
            owner.release()
            if isinstance(error, OSError):
                raise storage_error(error, database) from error
            raise
        wh = cls(owner, side, root)
        try:
            _mend_publication(wh)
        except BaseException:
            wh.close()
            raise
        return wh

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A cursor of its own for one query or one thread: a shared one gives wrong answers without an error."""
        with self._guard:
            if self._root is None:
                raise StorageError("the warehouse is closed", where=str(self.path))
            return self._root.cursor()

    @contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor inside one read transaction: every query of the block sees the same state."""
        cursor = self.cursor()
        try:
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            yield cursor
        finally:
            with contextlib.suppress(duckdb.Error):
                cursor.execute("ROLLBACK")
            cursor.close()

    @contextmanager
    def transaction(
        self, cursor: duckdb.DuckDBPyConnection | None = None, *, urgent: bool = False, alone: bool = False
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor inside one write transaction, committed at the end of the block, rolled back on any error.

        Two lanes: bulk writes (the default) run one at a time and take the commit lock only to commit; urgent ones (a
        person is waiting, a few rows) hold the commit lock throughout and so pass a bulk write that is under way. The
        two lanes must not change the same columns of a row: what is written says so where it matters.

        Parameters
        ----------
        cursor : one of this warehouse to use, for instance because it has temporary tables; it is left open.
        alone : take both locks at once, so that nothing can conflict.

        Raises
        ------
        StorageError
            disk full, or the database went out of service; the transaction is undone.
        """
        if threading.get_ident() in self._writers:
            raise RuntimeError("a write transaction is already open in this thread: pass its cursor on")
        with contextlib.ExitStack() as locks:
            if alone or not urgent:
                locks.enter_context(self._bulk)
            if alone or urgent:
                locks.enter_context(self._commit)
            self._writers.add(threading.get_ident())
            used = cursor or self.cursor()
            try:
                used.execute("BEGIN TRANSACTION")
                chain.begin(used)
                yield used
                if not (alone or urgent):
                    locks.enter_context(self._commit)
                with contextlib.closing(self.cursor()) as outside:
                    chain.flush(used, outside)
                used.execute("COMMIT")
            except BaseException as error:
                with contextlib.suppress(duckdb.Error):
                    used.execute("ROLLBACK")
                if is_storage(error):
                    raise storage_error(error, self.path) from error
                raise
            finally:
                chain.end(used)
                if cursor is None:
                    used.close()
                self._writers.discard(threading.get_ident())

    def run_transaction(
        self,
        work: Callable[[duckdb.DuckDBPyConnection], T],
        cursor: duckdb.DuckDBPyConnection | None = None,
        *,
        urgent: bool = False,
        alone: bool = False,
    ) -> T:
        """Run ``work(cursor)`` in a write transaction; on a conflict undo it all and run it again, at most five times.

        From the second try on it runs alone, so that it cannot be overtaken again. Only conflicts are retried: a
        constraint that fails would fail again.
        """
        for attempt in range(1, _TRIES + 1):
            try:
                with self.transaction(cursor, urgent=urgent, alone=alone or attempt > 1) as used:
                    return work(used)
            except duckdb.TransactionException as error:
                if attempt == _TRIES or not any(text in str(error) for text in _RETRY):
                    raise
            time.sleep(random.uniform(0.0, 0.005 * attempt))
        raise AssertionError("unreachable")

    def history_numbers(self) -> int:
        """First of a fresh block of numbers for alert history rows: higher than every one given out before.

        Blocks, because transactions run side by side and cannot see each other's highest number.
        """
        with self._guard:
            if self._root is None:
                raise StorageError("the warehouse is closed", where=str(self.path))
            if self._history is None:
                with contextlib.closing(self._root.cursor()) as cursor:
                    highest = cursor.execute("SELECT coalesce(max(seq), 0) FROM alert_events").fetchall()[0][0]
                self._history = int(highest) // HISTORY_BLOCK
            self._history += 1
            return self._history * HISTORY_BLOCK

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file; for idle moments, because it can stall a write by half a second."""
        with self._bulk, self._commit, contextlib.closing(self.cursor()) as cursor:
            cursor.execute("CHECKPOINT")

    @property
    def closed(self) -> bool:
        """True after :meth:`close`."""
        return self._root is None

    def close(self) -> None:
        """Close the file, then give the lock up; a second call does nothing."""
        with self._bulk, self._commit, self._guard:
            if self._root is None:
                return
            root, self._root = self._root, None
            try:
                root.close()
            finally:
                _unprotect(self.side)
                self.owner.release()

    def swap(self, replacement: Path) -> None:
        """Close, and put another file in place of this one before the lock is given up."""
        with self._bulk, self._commit, self._guard:
            if self._root is None:
                raise StorageError("the warehouse is closed", where=str(self.path))
            root, self._root = self._root, None
            try:
                root.execute("CHECKPOINT")
                root.close()
                if self.side.wal.exists():
                    # A log belongs to the file it was written for; left behind, it would be replayed into the new one.
                    raise StorageError("the log could not be folded in", where=str(self.side.wal), do="try again")
                os.replace(replacement, self.path)
                sync_folder(self.path.parent)
            finally:
                _unprotect(self.side)
                self.owner.release()

    def __enter__(self) -> Warehouse:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _mend_publication(wh: Warehouse) -> None:
    """Finish a publication whose owner was killed between its commit and its file."""
    with wh.reading() as cursor:
        found = cursor.execute("SELECT count(*) FROM publications").fetchall()
    if found[0][0]:
        # Imported here: publishing stands on this module.
        from warehouse.principal import Principal
        from warehouse.publish import ensure_published

        ensure_published(wh, principal=Principal("ragsieve", "admin", mode="start"))


def _unprotect(side: Side) -> None:
    for name in (side.database, side.wal, side.lock):
        unprotect(name)
