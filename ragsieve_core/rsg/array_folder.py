"""A folder of ``.npy`` files that holds the old arrays or the new ones, never a mixture."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError


def save_arrays(folder: Path, arrays: Mapping[str, NDArray[np.generic]]) -> None:
    """Write the arrays beside ``folder`` and put them in its place."""
    part = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name, array in arrays.items():
        np.save(part / f"{name}.npy", array, allow_pickle=False)
    old = folder.with_name(f"{folder.name}.{os.getpid()}.old")
    if folder.exists():
        folder.rename(old)
    part.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def load_arrays(
    folder: Path, names: Sequence[str], what: str, *, mapped: Sequence[str] = ()
) -> dict[str, NDArray[np.generic]]:
    """Those arrays of the folder, some of them memory-mapped.

    Raises
    ------
    InputError : one is missing or cannot be read; ``what`` names the whole.
    """
    try:
        return {
            name: np.load(folder / f"{name}.npy", allow_pickle=False, mmap_mode="r" if name in mapped else None)
            for name in names
        }
    except (OSError, ValueError, EOFError) as error:
        raise InputError(
            f"no {what} can be read: {error}", where=str(folder), expected="a folder that a scan wrote"
        ) from error


def packed(strings: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Bytes of the strings, and where each ends."""
    encoded = [one.encode("utf-8", "surrogatepass") for one in strings]
    ends = np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)))
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), ends


def unpacked(data: NDArray[np.uint8], ends: NDArray[np.int64]) -> tuple[str, ...]:
    """The strings."""
    raw = data.tobytes()
    stops = ends.tolist()
    return tuple(raw[a:b].decode("utf-8", "surrogatepass") for a, b in zip([0, *stops[:-1]], stops, strict=True))
