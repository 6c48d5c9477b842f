"""Erased texts, told to every process that shares a disk tier.

A process that computes an erased text at that moment would write it back, and one that holds it in memory would go on
using it. So erasure first appends a mark here; every process looks at this file (one ``stat``) before it answers and
after it writes. Marks are salted hashes and run out after a day, when no such work can be left.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from collections.abc import Iterable
from pathlib import Path

LASTING_S = 86_400.0
_SALT = 16


class Forgotten:
    """Marks in one file: salt, then a line per mark of time and salted hash.

    Parameters
    ----------
    path : the file; made on the first mark.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int, int] | None = None
        self._salt = ""
        self._marks: frozenset[str] = frozenset()
        self.version = 0

    def refresh(self) -> int:
        """Read the file if it changed; ``version``, which rises with every new mark seen."""
        try:
            status = os.stat(self._path)
        except FileNotFoundError:
            return self.version
        stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
        if stamp == self._seen:
            return self.version
        salt, marks = self._read()
        new = not marks <= self._marks or salt != self._salt
        self._seen, self._salt, self._marks = stamp, salt, marks
        self.version += new
        return self.version

    def __contains__(self, content: str) -> bool:
        return bool(self._marks) and self._mark(content, self._salt) in self._marks

    def add(self, contents: Iterable[str]) -> None:
        """Mark texts; the caller holds the lock of the disk tier."""
        now = time.time()
        salt, lines = secrets.token_hex(_SALT), []
        if self._path.exists():
            first, *rest = self._path.read_text(encoding="ascii", errors="replace").splitlines() or [salt]
            salt = first
            lines = [line for line in rest if _age(line, now) < LASTING_S]
        lines += [f"{now:.0f} {self._mark(content, salt)}" for content in contents]
        temporary = self._path.with_name(f"{self._path.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
        with open(temporary, "x", encoding="ascii") as stream:
            stream.write("\n".join([salt, *lines, ""]))
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, self._path)

    def _read(self) -> tuple[str, frozenset[str]]:
        now = time.time()
        try:
            salt, *lines = self._path.read_text(encoding="ascii", errors="replace").splitlines()
        except (FileNotFoundError, ValueError):
            return "", frozenset()
        return salt, frozenset(line.partition(" ")[2] for line in lines if _age(line, now) < LASTING_S)

    @staticmethod
    def _mark(content: str, salt: str) -> str:
        return hashlib.sha256(f"{salt}{content}".encode()).hexdigest()


def _age(line: str, now: float) -> float:
    stamp = line.partition(" ")[0]
    # A mark that cannot be read lasts: forgetting too much costs time only
    return now - float(stamp) if stamp.isdigit() else 0.0
