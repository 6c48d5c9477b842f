"""Disk tier: one small file per text and kind, in a private folder, within a byte limit.

``<kind>-<hash of its key>/<first 2 digits>/<entry name>``. A file is written under another name and renamed, so it is
there whole or not at all; its checksum finds what a crash or the disk did to it. Nothing is synced to disk: what is
lost is computed again. The folder itself is the index, so there is none to repair.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ragsieve_core.errors import InputError
from ragsieve_core.models.feature_cache.forgotten import Forgotten
from ragsieve_core.models.feature_cache.keys import content_of
from ragsieve_core.models.feature_cache.ledger import Ledger, Tally, added

DEFAULT_DISK = 20 * 1024**3
_BLOCK = 4_096
_KEPT = 0.9
"""Share of the limit that a sweep leaves: sweeping walks the whole folder, so it must be rare."""
_TOUCH_S = 600.0
_STALE_S = 3_600.0
_MARKER = "ragsieve-features"
_VERSION = "1\n"


class DiskTier:
    """Features on disk.

    Parameters
    ----------
    folder : made with mode 0700 if it is not there.
    limit : bytes, each file counted in whole blocks; the least recently used files leave first.

    Raises
    ------
    InputError : a folder that holds something else, belongs to another user or cannot be made.
    """

    def __init__(self, folder: Path, limit: int = DEFAULT_DISK) -> None:
        if limit < 1:
            raise InputError(f"{limit} bytes", where="disk limit", expected="a positive number of bytes")
        self.folder = folder
        self.limit = limit
        _prepare(folder)
        self._ledger = Ledger(folder)
        self._forgotten = Forgotten(folder / "forgotten")
        self._made: set[Path] = set()
        self._counts: dict[str, int] = {}
        self._counting = threading.Lock()
        self.write_error = ""

    def path(self, tag: str, name: str) -> Path:
        """Where an entry lies, or would."""
        return self.folder / tag / name[:2] / name

    def holds(self, tag: str, name: str) -> bool:
        """Whether there is a file for it; it is checked when it is read."""
        return self.path(tag, name).is_file() and not self.is_forgotten(name)

    def read(self, tag: str, name: str) -> bytes | None:
        """The file as it is, unchecked; None where there is none."""
        path = self.path(tag, name)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            return None
        try:
            status = os.fstat(descriptor)
            with open(descriptor, "rb", closefd=False) as stream:
                data = stream.read()
        except OSError:
            return None
        finally:
            os.close(descriptor)
        if time.time() - status.st_mtime > _TOUCH_S:
            _touch(path)
        return data

    def discard(self, tag: str, name: str) -> None:
        """Remove an entry that turned out to be corrupt."""
        self.path(tag, name).unlink(missing_ok=True)

    def write(self, entries: Sequence[tuple[str, str, bytes]]) -> None:
        """Store (tag, name, bytes); what does not fit under the limit, or on the disk, is not stored.

        A cache that cannot be written must not fail the query that filled it: the reason is left in ``write_error``.
        """
        fitting = [entry for entry in entries if _blocks(len(entry[2])) <= self.limit * _KEPT]
        if not fitting:
            return
        try:
            for part in _parts(fitting, int(self.limit * _KEPT)):
                # The lock is held while files are written: a sweep of another process would not see half of them, and
                # the limit would be exceeded by what is under way
                with self._ledger.locked():
                    self._reserve(sum(_blocks(len(data)) for _, _, data in part))
                    for tag, name, data in part:
                        self._place(tag, name, data)
            self.write_error = ""
        except OSError as error:
            self.write_error = str(error)

    def is_forgotten(self, name: str) -> bool:
        """Whether the text was erased a moment ago, so that its features may not be kept."""
        self._forgotten.refresh()
        return content_of(name) in self._forgotten

    def erasures(self) -> int:
        """A number that rises whenever some process forgot texts."""
        return self._forgotten.refresh()

    def forget(self, contents: Iterable[str]) -> int:
        """Erase every kind's entries of these content hashes; returns how many files went."""
        wanted = sorted(set(contents))
        gone = 0
        with self._ledger.locked():
            self._forgotten.add(wanted)
            for tag in self._tags():
                for content in wanted:
                    shard = tag / content[:2]
                    names = [e.name for e in _entries(shard) if e.name.startswith(content)]
                    for name in names:
                        (shard / name).unlink(missing_ok=True)
                        gone += 1
        return gone

    def count(self, **counts: int) -> None:
        """Add to the counts that :meth:`flush` stores."""
        with self._counting:
            for name, number in counts.items():
                self._counts[name] = self._counts.get(name, 0) + number

    def flush(self) -> None:
        """Store the counts of this process for `doctor` to show; loses them where the disk cannot be written."""
        with self._counting:
            counts, self._counts = self._counts, {}
        if not any(counts.values()):
            return
        try:
            with self._ledger.locked():
                self._ledger.write(added(self._tally(), counts))
        except OSError as error:
            self.write_error = str(error)

    def tally(self) -> Tally:
        """Bytes and counts of all processes, as far as they stored them."""
        with self._ledger.locked():
            return self._tally()

    def sweep(self, room: int = 0) -> Tally:
        """Count the files again and, where they and ``room`` exceed the limit, remove the least recently used."""
        with self._ledger.locked():
            tally = self._swept(self._ledger.read() or Tally(), room)
            self._ledger.write(tally)
            return tally

    def _tally(self) -> Tally:
        return self._ledger.read() or self._swept(Tally(), 0)

    def _reserve(self, size: int) -> None:
        tally = self._tally()
        if tally.bytes + size > self.limit:
            tally = self._swept(tally, size)
        self._ledger.write(added(tally, {"bytes": size}))

    def _swept(self, tally: Tally, room: int) -> Tally:
        now = time.time()
        for entry in _entries(self.folder / "tmp"):
            if now - _stat(entry).st_mtime > _STALE_S:
                Path(entry.path).unlink(missing_ok=True)
        files: list[tuple[float, int, str]] = []
        total = sum(_blocks(_stat(entry).st_size) for entry in _entries(self.folder / "tmp"))
        for tag in self._tags():
            for shard in _entries(tag):
                for entry in _entries(Path(shard.path)):
                    status = _stat(entry)
                    size = _blocks(status.st_size)
                    total += size
                    files.append((status.st_mtime, size, entry.path))
        evicted = 0
        if total + room > self.limit:
            for _, size, path in sorted(files):
                if total + room <= self.limit * _KEPT or total == 0:
                    break
                Path(path).unlink(missing_ok=True)
                total -= size
                evicted += 1
        counted = added(tally, {"evicted": evicted})
        counted.bytes = total
        return counted

    def _tags(self) -> list[Path]:
        return [Path(entry.path) for entry in _entries(self.folder) if entry.is_dir() and entry.name != "tmp"]

    def _place(self, tag: str, name: str, data: bytes) -> None:
        if self.is_forgotten(name):
            return
        path = self.path(tag, name)
        if path.parent not in self._made:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._made.add(path.parent)
        temporary = self.folder / "tmp" / f"{os.getpid()}.{secrets.token_hex(8)}"
        try:
            with open(temporary, "xb") as stream:
                stream.write(data)
            os.replace(temporary, path)
        except OSError:
            temporary.unlink(missing_ok=True)
            self._made.discard(path.parent)
            raise


def _prepare(folder: Path) -> None:
    marker = folder / _MARKER
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
        if status.st_uid != os.getuid():
            raise InputError("another user's folder", where=str(folder), expected="a folder of your own for features")
        if not marker.exists():
            names = {entry.name for entry in os.scandir(folder)}
            if names - {"lock", "tmp"} and _MARKER not in names:  # another process may just have made it
                raise InputError(
                    "this folder holds something else",
                    where=str(folder),
                    expected="an empty folder, or one that features were kept in before",
                )
            marker.write_text(_VERSION, encoding="ascii")
        elif (found := marker.read_text(encoding="ascii", errors="replace")) not in (_VERSION, ""):
            raise InputError(
                f"features of another format ({found.strip()!r})",
                where=str(folder),
                expected=f"format {_VERSION.strip()}",
                do="use another folder, or remove this one: it holds nothing that cannot be computed again",
            )
        folder.chmod(0o700)
        (folder / "tmp").mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise InputError(f"features cannot be kept here ({error.strerror})", where=str(folder)) from error


def _parts(entries: Sequence[tuple[str, str, bytes]], most: int) -> Iterator[list[tuple[str, str, bytes]]]:
    """Entries in groups that fit under the limit by themselves."""
    part: list[tuple[str, str, bytes]] = []
    size = 0
    for entry in entries:
        blocks = _blocks(len(entry[2]))
        if part and size + blocks > most:
            yield part
            part, size = [], 0
        part.append(entry)
        size += blocks
    yield part


def _blocks(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _stat(entry: os.DirEntry[str]) -> os.stat_result:
    try:
        return entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return os.stat_result([0] * 10)


def _touch(path: Path) -> None:
    try:
        os.utime(path)
    except OSError:
        # Evicted meanwhile, or a read-only disk: only the order of eviction suffers
        return
