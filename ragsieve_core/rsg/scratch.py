"""Finished blocks of a scan on disk, so that an interrupted one goes on where it stopped."""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.block_tasks import Hits


class Scratch:
    """Blocks of one search, under a folder named after everything they depend on.

    A block is written beside its place and moved there in one step: what stands there is whole, whenever the process
    is killed. A file that cannot be read as a block is computed again.

    Parameters
    ----------
    folder : where searches keep their blocks; one folder may serve many.
    key : hash of vectors and parameters, see :func:`search_key`.
    """

    def __init__(self, folder: Path, key: str) -> None:
        self.folder = folder / f"search-{key}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.reused = 0
        for left in self.folder.glob("*.part"):
            left.unlink(missing_ok=True)

    def load(self, name: str) -> list[NDArray[np.generic]] | None:
        """Arrays of the block, or None if it is not there."""
        try:
            with np.load(self.folder / f"{name}.npz", allow_pickle=False) as file:
                arrays = [file[f"arr_{number}"] for number in range(len(file.files))]
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None
        self.reused += 1
        return arrays

    def save(self, name: str, *arrays: NDArray[np.generic]) -> None:
        """Keep the arrays of a finished block."""
        part = self.folder / f"{name}.{os.getpid()}.part"
        with part.open("wb") as file:
            np.savez(file, *arrays)
            file.flush()
            os.fsync(file.fileno())
        part.replace(self.folder / f"{name}.npz")

    def load_hits(self, name: str) -> Hits | None:
        """Candidates of the block, or None."""
        arrays = self.load(name)
        if arrays is None or len(arrays) != len(Hits.__slots__):
            return None
        row, column, value, crowded = arrays
        return Hits(row.astype(np.int32), column.astype(np.int32), value.astype(np.float32), crowded.astype(np.int32))

    def save_hits(self, name: str, hits: Hits) -> None:
        """Keep the candidates of a finished block."""
        self.save(name, hits.row, hits.column, hits.value, hits.crowded)

    def done(self) -> None:
        """The search is over: its blocks are of no more use."""
        shutil.rmtree(self.folder, ignore_errors=True)


def search_key(vectors: NDArray[np.float32], *parameters: object) -> str:
    """Hash of the vectors' bytes, their shape and everything else the blocks depend on; 32 hex digits."""
    digest = hashlib.blake2b(repr((vectors.shape, *parameters)).encode(), digest_size=16)
    for start in range(0, vectors.shape[0], 4096):
        digest.update(np.ascontiguousarray(vectors[start : start + 4096]).data)
    return digest.hexdigest()
