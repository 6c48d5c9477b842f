"""One immutable file in a folder, named by the SHA-256 of its bytes: ``<hash>.npz``."""

from __future__ import annotations

import hashlib
from pathlib import Path

from warehouse.errors import StorageError
from warehouse.side import Side


def replace_hashed(side: Side, folder: Path, data: bytes) -> Path:
    """Store the bytes and remove what they supersede; returns the file."""
    target = folder / f"{hashlib.sha256(data).hexdigest()}.npz"
    side.write(target, lambda stream: stream.write(data))
    for other in folder.glob("*.npz"):
        if other != target:
            other.unlink(missing_ok=True)
    return target


def newest_hashed(folder: Path, what: str) -> tuple[bytes, Path] | None:
    """The bytes last stored in the folder and their file, or None before the first.

    Raises
    ------
    StorageError
        bytes that cannot be read or no longer have their hash; ``what`` names them.
    """
    found = []
    for file in folder.glob("*.npz"):
        try:
            found.append((file.stat().st_mtime_ns, file))
        except FileNotFoundError:
            continue
    for _, file in sorted(found, reverse=True):
        try:
            data = file.read_bytes()
        except FileNotFoundError:
            # A newer scan has replaced it meanwhile
            continue
        except OSError as error:
            raise StorageError(f"{what} cannot be read ({error.strerror})", where=str(file)) from error
        if hashlib.sha256(data).hexdigest() != file.stem:
            raise StorageError(f"{what} whose bytes have changed", where=str(file))
        return data, file
    return None
