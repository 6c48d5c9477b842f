"""Files that live beside the DuckDB file: ``<file>.lock`` and the folder ``<file>.d``.

Everything in the folder is immutable once named (write to ``tmp/``, fsync, rename), so other processes may read it
while the owner works.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

FOLDERS = (
    "embeddings", "snapshots", "inbox", "receipts", "refused", "published", "backups", "rejects", "neighbors",
    "scratch", "console", "replays", "tmp",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Side:
    """Names of everything beside one warehouse file (``database`` is its resolved path)."""

    database: Path

    @property
    def root(self) -> Path:
        """``<file>.d``."""
        return self.database.with_name(self.database.name + ".d")

    @property
    def lock(self) -> Path:
        """Sidecar of the owner election."""
        return self.database.with_name(self.database.name + ".lock")

    @property
    def wal(self) -> Path:
        """DuckDB's write-ahead log."""
        return self.database.with_name(self.database.name + ".wal")

    def folder(self, name: str) -> Path:
        """One of :data:`FOLDERS`, whether or not it exists yet."""
        if name not in FOLDERS:
            raise ValueError(f"no folder {name!r} beside a warehouse")
        return self.root / name

    def create(self) -> None:
        """Make the folders, private to the owner."""
        self.root.mkdir(mode=0o700, exist_ok=True)
        for name in FOLDERS:
            (self.root / name).mkdir(mode=0o700, exist_ok=True)

    def relative(self, path: Path) -> str:
        """Path as it is stored: relative to the folder, so that a warehouse can be moved."""
        return path.relative_to(self.root).as_posix()

    @contextmanager
    def writing(self, target: Path, *, durable: bool = True) -> Iterator[BinaryIO]:
        """Write ``target`` so that it is there whole or not at all: temporary, fsync, rename, fsync of the folder.

        ``durable`` False leaves the fsyncs out, for what nobody will look for after the machine lost its power: each
        fsync holds up the commits of the same disk.
        """
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = self.folder("tmp") / f"{target.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp"
        try:
            with open(temporary, "xb") as stream:
                yield stream
                stream.flush()
                if durable:
                    os.fsync(stream.fileno())
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        if durable:
            sync_folder(target.parent)

    def write(self, target: Path, fill: Callable[[BinaryIO], object], *, durable: bool = True) -> Path:
        """:meth:`writing` for a function that fills the stream; returns ``target``."""
        with self.writing(target, durable=durable) as stream:
            fill(stream)
        return target


def sync_folder(folder: Path) -> None:
    """Make a rename in ``folder`` durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
