"""One entry as bytes: named arrays behind a header, with a checksum over everything.

Layout: magic, length of the header (4 bytes, little-endian), header (JSON: kind key, entry name, arrays with dtype and
shape), the arrays one after another, SHA-256 of all before it. No pickle: nothing in a file can run.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.models.feature_cache.kinds import Arrays

MAGIC = b"RSFEAT1\n"
_DIGEST = 32
_DTYPES = {name: np.dtype(name) for name in ("<f4", "<f2", "<i4", "|u1")}


class CorruptEntryError(ValueError):
    """Bytes that are not the entry asked for, whole and unchanged."""


def encode_entry(key: str, name: str, arrays: Arrays) -> bytes:
    """An entry of a kind (``key``) and a text (``name``)."""
    ordered = [(label, np.ascontiguousarray(array)) for label, array in arrays.items()]
    header = json.dumps(
        {"key": key, "name": name, "arrays": [[label, a.dtype.str, list(a.shape)] for label, a in ordered]}
    ).encode()
    parts = [MAGIC, len(header).to_bytes(4, "little"), header, *(a.tobytes() for _, a in ordered)]
    body = b"".join(parts)
    return body + hashlib.sha256(body).digest()


def decode_entry(data: bytes, key: str, name: str) -> dict[str, NDArray[Any]]:
    """Arrays of the entry, read-only views of ``data``.

    Raises
    ------
    CorruptEntryError : cut short, changed, or the entry of another text or model.
    """
    view = memoryview(data)
    start = len(MAGIC) + 4
    if len(data) < start + _DIGEST or view[: len(MAGIC)] != MAGIC:
        raise CorruptEntryError("no entry")
    body = view[: len(data) - _DIGEST]
    if hashlib.sha256(body).digest() != view[len(data) - _DIGEST :]:
        raise CorruptEntryError("checksum")
    end = start + int.from_bytes(view[len(MAGIC) : start], "little")
    try:
        header = json.loads(bytes(body[start:end]))
        if header["key"] != key or header["name"] != name:
            raise CorruptEntryError("another entry")
        arrays: dict[str, NDArray[Any]] = {}
        for label, kind, shape in header["arrays"]:
            dtype, count = _DTYPES[kind], math.prod(shape)
            arrays[label] = np.frombuffer(body, dtype, count, end).reshape(shape)
            end += count * dtype.itemsize
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise CorruptEntryError(str(error)) from error
    return arrays
