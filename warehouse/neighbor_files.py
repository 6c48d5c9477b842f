"""Neighbour lists of the last scan as an immutable, hashed file, so that the next scan searches only what changed.

``neighbors/<key>/<SHA-256 of the bytes>.npz``, the key over corpus, encoder, depth of the lists and version of the
product. The file holds no vectors: a version's vector of one encoder never changes, and a digest of each row is
compared besides. Whoever scans may write one, owner or not: a file that is missing, broken or of another corpus costs
a full search and no more.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragsieve_core import __version__
from ragsieve_core.rsg.neighbor_state import NeighborState
from ragsieve_core.rsg.twins import row_digests
from warehouse.errors import StorageError
from warehouse.hashed_files import newest_hashed, replace_hashed
from warehouse.side import Side

_FORMAT = "1"
_ARRAYS = ("version_ids", "index", "cosine", "valid", "digests", "id_bytes", "id_ends")


@dataclass(frozen=True, slots=True)
class NeighborKey:
    """What lists depend on besides the documents; ``depth`` is the number of neighbours asked for."""

    corpus_id: str
    encoder: str
    depth: int

    def folder(self, side: Side) -> Path:
        """Where files of this key lie."""
        parts = (self.corpus_id, self.encoder, str(self.depth), __version__, _FORMAT)
        digest = hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        return side.folder("neighbors") / digest[:24]


@dataclass(frozen=True, slots=True)
class KeptLists:
    """Lists of M documents as they were stored; fields as in :class:`NeighborState`, ``version_ids`` int64 (M,)."""

    version_ids: NDArray[np.int64]
    ids: tuple[str, ...]
    index: NDArray[np.int32]
    cosine: NDArray[np.float32]
    valid: NDArray[np.int32]
    digests: NDArray[np.uint64]


def save_lists(side: Side, key: NeighborKey, version_ids: NDArray[np.int64], state: NeighborState) -> Path:
    """Store the lists and remove what they supersede; returns the file."""
    encoded = [name.encode("utf-8", "surrogatepass") for name in state.ids]
    buffer = io.BytesIO()
    np.savez(
        buffer,
        version_ids=version_ids,
        index=state.index,
        cosine=state.cosine,
        valid=state.valid,
        digests=state.digests,
        id_bytes=np.frombuffer(b"".join(encoded), dtype=np.uint8),
        id_ends=np.cumsum([len(name) for name in encoded], dtype=np.int64),
    )
    return replace_hashed(side, key.folder(side), buffer.getvalue())


def load_lists(side: Side, key: NeighborKey) -> KeptLists | None:
    """The lists last stored under the key, or None before the first.

    Raises
    ------
    StorageError
        bytes that no longer have their hash, or that are no lists.
    """
    found = newest_hashed(key.folder(side), "neighbour lists")
    return None if found is None else _decoded(*found)


def _decoded(data: bytes, file: Path) -> KeptLists:
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in _ARRAYS}
        text, ends = arrays["id_bytes"].tobytes(), arrays["id_ends"].tolist()
        ids = tuple(text[a:b].decode("utf-8", "surrogatepass") for a, b in zip([0, *ends[:-1]], ends, strict=True))
        kept = KeptLists(ids=ids, **{name: arrays[name] for name in _ARRAYS if not name.startswith("id_")})
        count, width = kept.index.shape
        shapes = [kept.version_ids.shape, (len(ids),), kept.valid.shape, kept.digests.shape]
        sound = count > 0 and all(shape == (count,) for shape in shapes) and kept.cosine.shape == (count, width)
        if not sound or (np.diff(kept.version_ids) <= 0).any() or (kept.index >= count).any():
            raise ValueError("arrays that do not fit each other")
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise StorageError(f"neighbour lists that are none ({error})", where=str(file)) from error
    return kept


@dataclass(frozen=True, slots=True)
class Earlier:
    """Kept lists seen from the documents there are now; ``fresh`` of these have to be searched."""

    state: NeighborState
    fresh: int


def earlier_state(
    kept: KeptLists, depth: int, version_ids: NDArray[np.int64], ids: Sequence[str], vectors: NDArray[np.float32]
) -> Earlier:
    """The state the lists belong to, with the vectors of now in it: a document is kept if version, id and digest are.

    Parameters
    ----------
    version_ids, ids, vectors : int64 (N,) ascending, N ids, float32 (N, d) of the documents there are now.
    """
    place = np.searchsorted(kept.version_ids, version_ids)
    place[place == len(kept.version_ids)] = 0
    same = (kept.version_ids[place] == version_ids) & (kept.digests[place] == row_digests(vectors))
    rows = np.flatnonzero(same)
    rows = rows[[kept.ids[place[row]] == ids[row] for row in rows.tolist()]]
    before = place[rows]
    count = len(kept.ids)
    if len(rows) == count and np.array_equal(rows, np.arange(count)) and np.array_equal(before, rows):
        then = vectors[:count]
    else:
        # A row of zeros equals no vector, so that what changed is searched again
        then = np.zeros((count, vectors.shape[1]), dtype=np.float32)
        then[before] = vectors[rows]
    state = NeighborState(kept.ids, then, kept.index, kept.cosine, kept.valid, kept.digests, depth)
    return Earlier(state, len(ids) - len(rows))
