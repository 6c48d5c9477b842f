"""How much memory an Arrow IPC message asks for, read from its header before anything is decompressed.

Arrow decompresses the buffers of a message at once and believes the length each of them declares, so a small file could
ask for all memory. The declared lengths stand in the message's FlatBuffers header and in the first eight bytes of each
compressed buffer (Arrow columnar format, "Encapsulated message format" and "Compression").
"""

from __future__ import annotations

import struct

_SCHEMA, _DICTIONARY, _BATCH = 1, 2, 3
_MESSAGE_HEADER_TYPE, _MESSAGE_HEADER = 1, 2
_DICTIONARY_DATA = 1
_BATCH_LENGTH, _BATCH_BUFFERS, _BATCH_COMPRESSION = 0, 2, 3
# What a row costs at least once it is a record; a run-length column holds 2**31 of them in a few bytes.
ROW_BYTES = 8


class _Table:
    """Minimal read access to one FlatBuffers table; a position outside the data raises ``struct.error``."""

    def __init__(self, data: bytes, position: int) -> None:
        if position < 0:
            raise struct.error("negative position")
        self.data = data
        self.position = position

    def _number(self, kind: str, position: int) -> int:
        if position < 0:
            raise struct.error("negative position")
        return int(struct.unpack_from("<" + kind, self.data, position)[0])

    def field(self, number: int) -> int:
        """Position of a field, 0 where it is not set."""
        table = self.position - self._number("i", self.position)
        place = 4 + 2 * number
        if place >= self._number("H", table):
            return 0
        offset = self._number("H", table + place)
        return self.position + offset if offset else 0

    def number(self, number: int, kind: str) -> int:
        """An integer field, 0 where it is not set."""
        position = self.field(number)
        return self._number(kind, position) if position else 0

    def table(self, number: int) -> _Table | None:
        position = self.field(number)
        return _Table(self.data, position + self._number("I", position)) if position else None

    def pairs(self, number: int) -> list[tuple[int, int]]:
        """A vector of structs of two 64-bit integers."""
        position = self.field(number)
        if not position:
            return []
        start = position + self._number("I", position)
        count = self._number("I", start)
        return [struct.unpack_from("<qq", self.data, start + 4 + 16 * place) for place in range(count)]


def declared_bytes(metadata: bytes, body: memoryview) -> int:
    """Bytes the buffers of one IPC message take once decompressed, and 8 for every row.

    Raises
    ------
    struct.error : the header is damaged.
    """
    root = _Table(metadata, struct.unpack_from("<I", metadata, 0)[0])
    kind = root.number(_MESSAGE_HEADER_TYPE, "B")
    batch = root.table(_MESSAGE_HEADER)
    if kind == _DICTIONARY and batch is not None:
        batch = batch.table(_DICTIONARY_DATA)
    if kind not in (_DICTIONARY, _BATCH) or batch is None:
        return 0
    compressed = batch.field(_BATCH_COMPRESSION) != 0
    total = ROW_BYTES * max(batch.number(_BATCH_LENGTH, "q"), 0)
    for offset, length in batch.pairs(_BATCH_BUFFERS):
        declared = struct.unpack_from("<q", body, offset)[0] if compressed and length >= 8 and offset >= 0 else -1
        # -1 marks a buffer left uncompressed.
        total += max(declared if declared >= 0 else length, 0)
    return total
