"""Files of this process that no reader may open: the warehouse, its WAL and its lock.

DuckDB guards its file with a POSIX ``fcntl`` lock, and POSIX drops such a lock when the process closes *any*
descriptor of that file. So reading the live file for whatever reason would let a second writer in. A path is not
enough to tell: a hard link or ``../`` leads to the same file under another name, hence device and inode.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

Identity = tuple[int, int]

_guard = threading.Lock()
_protected: dict[str, Identity | None] = {}


def _identity(path: str) -> Identity | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def protect(path: str | os.PathLike[str]) -> None:
    """Refuse ``path``, under any name, to every reader and writer of this package from now on.

    The file need not exist yet: DuckDB creates and deletes its WAL as it goes, so the identity is looked up again
    at every check.
    """
    key = str(Path(path).absolute())
    with _guard:
        _protected[key] = _identity(key)


def unprotect(path: str | os.PathLike[str]) -> None:
    """Allow ``path`` again; unknown paths are ignored, so a close handler may call it twice."""
    with _guard:
        _protected.pop(str(Path(path).absolute()), None)


def protected_name(identity: Identity) -> str | None:
    """Path under which the file with this (device, inode) was protected, or ``None``."""
    with _guard:
        entries = list(_protected.items())
    for path, known in entries:
        if identity in (known, _identity(path)):
            return path
    return None


def protected_target(path: str | os.PathLike[str]) -> str | None:
    """Protected path that writing to ``path`` would replace, also while neither exists; ``None`` if none."""
    identity = _identity(os.fspath(path))
    if identity is not None:
        return protected_name(identity)
    wanted = os.path.realpath(path)
    with _guard:
        return next((entry for entry in _protected if os.path.realpath(entry) == wanted), None)
