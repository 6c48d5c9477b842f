"""Which process owns the file: an advisory ``flock`` on ``<file>.lock``.

DuckDB's own lock is no election: POSIX drops it as soon as the process closes any descriptor of the file, silently.
The lock file is never deleted, or two processes could each hold a lock on a file of that name.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import stat
import time
import weakref
from dataclasses import asdict, dataclass
from pathlib import Path

from ragsieve_core.errors import BusyError, InputError
from warehouse.errors import StorageError
from warehouse.ids import utc_now
from warehouse.side import Side

_POLL_S = 0.02
# A probe (current_holder) holds the lock shared for microseconds; an acquirer must not take that for an owner.
_GRACE_S = 0.1


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds the lock, as it wrote about itself: process id, command, UTC time of taking it, host name."""

    pid: int
    command: str
    since: str
    host: str

    def __str__(self) -> str:
        return f"{self.command!r} (process {self.pid} on {self.host}, since {self.since} UTC)"


_UNKNOWN = Holder(pid=0, command="unknown command", since="unknown time", host="unknown host")


class Owner:
    """The held lock. Released by :meth:`release` or by the kernel when the process ends, however it ends."""

    def __init__(self, path: Path, descriptor: int, holder: Holder) -> None:
        self.path = path
        self.holder = holder
        self._descriptor: int | None = descriptor
        _held.add(self)

    @classmethod
    def acquire(cls, database: Path, command: str, wait_s: float = 0.0) -> Owner:
        """Take the lock of ``database``, waiting up to ``wait_s`` seconds.

        Raises
        ------
        BusyError
            another process, or another warehouse of this process, holds it.
        StorageError
            the lock file cannot be made or is not a regular file.
        """
        lock = Side(database).lock
        descriptor = _open_lock(lock)
        deadline = time.monotonic() + max(wait_s, _GRACE_S)
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    os.close(descriptor)
                    raise _busy(database) from None
                time.sleep(_POLL_S)
            except OSError as error:
                os.close(descriptor)
                raise StorageError(
                    f"the owner lock cannot be taken ({error.strerror})",
                    where=str(lock),
                    expected="a local file system with flock",
                    do="move the warehouse to a local disk",
                ) from error
        holder = Holder(
            os.getpid(), command, utc_now().isoformat(sep=" ", timespec="seconds"), socket.gethostname() or "this host"
        )
        text = json.dumps(asdict(holder)).encode()
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, text, 0)
        except OSError as error:
            os.close(descriptor)
            raise StorageError(
                f"the owner lock cannot be written ({error.strerror})", where=str(lock), do="free some disk space"
            ) from error
        return cls(lock, descriptor, holder)

    @property
    def held(self) -> bool:
        """True until released."""
        return self._descriptor is not None

    def release(self) -> None:
        """Give the lock up; a second call does nothing."""
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)

    def _forget_in_child(self) -> None:
        # A forked child shares the lock's open file: kept, it would outlive the owner and block the next one.
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)


_held: weakref.WeakSet[Owner] = weakref.WeakSet()


def _forget_all_in_child() -> None:
    for owner in list(_held):
        owner._forget_in_child()


os.register_at_fork(after_in_child=_forget_all_in_child)


def _open_lock(lock: Path) -> int:
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise StorageError(
            f"the owner lock cannot be opened ({error.strerror})",
            where=str(lock),
            expected="a folder this user may write, and no link under that name",
            do="choose another --warehouse or mend the folder's permissions",
        ) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise StorageError("the owner lock is not a regular file", where=str(lock), do="remove it")
    return descriptor


def _read_holder(lock: Path) -> Holder:
    # Reading the lock file is safe: closing a descriptor drops fcntl locks, never flock ones.
    try:
        fields = json.loads(lock.read_text())
        return Holder(int(fields["pid"]), str(fields["command"]), str(fields["since"]), str(fields["host"]))
    except (OSError, ValueError, KeyError, TypeError):
        return _UNKNOWN


def _busy(database: Path) -> BusyError:
    holder = _read_holder(Side(database).lock)
    return BusyError(
        f"the warehouse is held by {holder}",
        where=str(database),
        expected="one owning process at a time",
        do="wait for it, stop it, or hand it the work through the inbox",
    )


def current_holder(path: str | os.PathLike[str]) -> Holder | None:
    """Who holds the warehouse now, or ``None``. The DuckDB file itself is not opened.

    The answer can be out of date by the time it is used: to act on it, take the lock.
    """
    lock = Side(resolve(path)).lock
    if not lock.exists():
        return None
    descriptor = _open_lock(lock)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read_holder(lock)
    finally:
        os.close(descriptor)
    return None


def resolve(path: str | os.PathLike[str]) -> Path:
    """One name for one file: symlinks and ``..`` resolved, so that two names cannot have two locks.

    Raises
    ------
    InputError
        the folder does not exist, or the path names a folder, a device or a file with a second hard link.
    """
    resolved = Path(os.path.realpath(path))
    parent = resolved.parent
    if not parent.is_dir():
        raise InputError("no such folder", where=str(parent), expected="an existing folder", do=f"mkdir -p {parent}")
    try:
        status = resolved.stat()
    except FileNotFoundError:
        if not os.access(parent, os.W_OK | os.X_OK):
            raise StorageError(
                "the folder is not writable", where=str(parent), do="choose another --warehouse or its permissions"
            ) from None
        return resolved
    if not stat.S_ISREG(status.st_mode):
        raise InputError("not a regular file", where=str(resolved), expected="a DuckDB file or a new name")
    if status.st_nlink > 1:
        raise InputError(
            f"the file has {status.st_nlink} hard links, so its lock could be passed by under another name",
            where=str(resolved),
            expected="one name for one warehouse",
            do="remove the other link or use a backup",
        )
    return resolved
