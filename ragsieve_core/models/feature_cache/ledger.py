"""Bytes and counts of a disk tier, shared by every process that uses it.

Bytes are added before the files are written: a process killed in between leaves the figure too high, never too low, so
that the limit holds; the next sweep counts again. A missing or damaged ledger is rebuilt from the files.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(slots=True)
class Tally:
    """What the ledger holds: bytes on disk, and how often features were asked for and where they came from."""

    bytes: int = 0
    asked: int = 0
    from_memory: int = 0
    from_disk: int = 0
    computed: int = 0
    corrupt: int = 0
    evicted: int = 0


class Ledger:
    """The file ``ledger.json`` of a folder, changed under the lock file beside it."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "ledger.json"
        self._lock = folder / "lock"

    def read(self) -> Tally | None:
        """The tally as last written; None where there is none that can be read."""
        try:
            found = json.loads(self._file.read_bytes())
            return Tally(**{name: int(found[name]) for name in asdict(Tally())})
        except (OSError, ValueError, KeyError, TypeError):
            return None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Alone among all processes and threads."""
        descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def write(self, tally: Tally) -> None:
        """Replace the ledger; the caller holds the lock."""
        temporary = self._file.with_name(f"ledger.{os.getpid()}.{secrets.token_hex(4)}.tmp")
        temporary.write_text(json.dumps(asdict(tally)))
        os.replace(temporary, self._file)


def added(tally: Tally, counts: Mapping[str, int]) -> Tally:
    """The tally with counts added."""
    values = asdict(tally)
    return Tally(**{name: values[name] + counts.get(name, 0) for name in values})
