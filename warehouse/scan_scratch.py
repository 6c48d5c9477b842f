"""Where a scan keeps its finished blocks, used by one process at a time."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warehouse.side import Side

_LOCK = "lock"


@contextmanager
def scan_scratch(side: Side) -> Iterator[Path | None]:
    """The folder for blocks of a search, held until the end of the block; None while another process holds it.

    The lock ends with the process, so that blocks of a killed scan are free for the next one.
    """
    folder = side.folder("scratch")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        yield folder
    finally:
        os.close(descriptor)


def clear_scratch(side: Side, older_s: float) -> tuple[int, int]:
    """Remove blocks of searches that nobody went on with for ``older_s`` seconds; files and bytes removed.

    Nothing while a scan runs.
    """
    files = size = 0
    with scan_scratch(side) as folder:
        if folder is None:
            return 0, 0
        for search in [entry for entry in folder.iterdir() if entry.is_dir() and not entry.is_symlink()]:
            inside = [entry.stat(follow_symlinks=False) for entry in search.iterdir()]
            newest = max([search.stat().st_mtime, *(entry.st_mtime for entry in inside)])
            if time.time() - newest > older_s:
                files, size = files + len(inside), size + sum(entry.st_size for entry in inside)
                shutil.rmtree(search)
    return files, size
