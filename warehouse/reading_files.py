"""What the last scan read from the texts of a corpus, as a hashed file: the next reads only new and changed ones.

``neighbors/text-<key>/<SHA-256 of the bytes>.npz``, the key over the corpus. The file holds the words of each text in
no order, a hash of each text and whether its scripts are suspicious; it depends on no encoder. Whoever scans may write
one: a file that is missing, broken or of other code costs reading the texts and no more. Erasing a document drops it.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from ragsieve_core.rsg.calibrated.reading import READER, TextReading
from warehouse.errors import StorageError
from warehouse.hashed_files import newest_hashed, replace_hashed
from warehouse.side import Side


def reading_folder(side: Side, corpus_id: str) -> Path:
    """Where the file of a corpus lies."""
    digest = hashlib.sha256(corpus_id.encode("utf-8", "surrogatepass")).hexdigest()
    return side.folder("neighbors") / f"text-{digest[:24]}"


def save_reading(side: Side, corpus_id: str, reading: TextReading) -> Path:
    """Store the reading in the place of the last one; returns the file."""
    buffer = io.BytesIO()
    arrays: dict[str, Any] = dict(reading.arrays())
    np.savez(buffer, reader=np.frombuffer(READER.encode(), dtype=np.uint8), **arrays)
    return replace_hashed(side, reading_folder(side, corpus_id), buffer.getvalue())


def load_reading(side: Side, corpus_id: str) -> tuple[TextReading | None, str]:
    """The reading last stored, or None and why: there is none, or it is of another version of the code.

    Raises
    ------
    StorageError
        bytes that no longer have their hash, or that are no reading.
    """
    found = newest_hashed(reading_folder(side, corpus_id), "words of the texts")
    if found is None:
        return None, "no earlier reading"
    data, file = found
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as stored:
            if stored["reader"].tobytes() != READER.encode():
                return None, "an earlier reading by another version"
            return TextReading.of_arrays({name: stored[name] for name in stored.files}), ""
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise StorageError(f"words of the texts that are none ({error})", where=str(file)) from error


def drop_reading(side: Side, corpus_id: str) -> None:
    """Remove the file of a corpus: it may hold words that are not to be kept."""
    for file in reading_folder(side, corpus_id).glob("*.npz"):
        file.unlink(missing_ok=True)
