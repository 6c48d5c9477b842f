"""Immutable segments: what a process without the owner lock hands to the owner.

Layout: magic line, length of the header (8 bytes, little-endian), header (JSON: kind, fields, tables), then one Arrow
IPC stream per table. The id of a segment is the SHA-256 of its bytes, so that taking it in twice can be seen.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ragsieve_core.errors import InputError
from warehouse.errors import RefusedError
from warehouse.ids import canonical_json
from warehouse.refusals import Refusal

MAGIC = b"RAGSIEVE-SEGMENT 1\n"
DATA_KINDS = ("documents", "embeddings", "scan", "events")
KINDS = (*DATA_KINDS, "request")
_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class SegmentLimits:
    """What is read at all: bytes of a segment, rows over its tables, bytes of its header."""

    max_bytes: int = 1 << 30
    max_rows: int = 5_000_000
    max_header: int = 1 << 20


LIMITS = SegmentLimits()


@dataclass(frozen=True, slots=True)
class Segment:
    """A decoded segment: ``kind`` of :data:`KINDS`, scalar ``fields``, Arrow ``tables`` by name."""

    kind: str
    fields: Mapping[str, Any]
    tables: Mapping[str, pa.Table]

    def table(self, name: str, schema: pa.Schema) -> pa.Table:
        """A table with exactly the columns of ``schema``, or an empty one where the segment has none of that name.

        Raises
        ------
        RefusedError
            other columns or types (``bad_segment``).
        """
        found = self.tables.get(name)
        if found is None:
            return schema.empty_table()
        if not found.schema.equals(schema):
            raise refused_segment(f"table {name} has other columns than its kind", f"{schema.names}")
        return found


def refused_segment(what: str, expected: str = "a segment as `ragsieve` writes it") -> RefusedError:
    """A ``bad_segment`` refusal."""
    return RefusedError(Refusal.BAD_SEGMENT, what, where="segment", expected=expected, do="write it again")


def segment_id(data: bytes) -> str:
    """SHA-256 (hex) of a segment's bytes."""
    return hashlib.sha256(data).hexdigest()


def encode(kind: str, fields: Mapping[str, object], tables: Mapping[str, pa.Table]) -> bytes:
    """Bytes of a segment; equal input gives equal bytes."""
    if kind not in KINDS:
        raise InputError(f"no segment kind {kind!r}", expected=", ".join(KINDS))
    streams = []
    for name, table in tables.items():
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        streams.append((name, table.num_rows, sink.getvalue()))
    listed = [{"name": name, "rows": rows, "bytes": stream.size} for name, rows, stream in streams]
    header = canonical_json({"kind": kind, "fields": dict(fields), "tables": listed}).encode()
    return b"".join([MAGIC, _LENGTH.pack(len(header)), header, *(stream.to_pybytes() for _, _, stream in streams)])


def peek(data: bytes, limits: SegmentLimits = LIMITS) -> dict[str, Any]:
    """Header of a segment, checked in itself.

    Raises
    ------
    RefusedError
        no segment, or over a limit.
    """
    if len(data) > limits.max_bytes:
        raise RefusedError(
            Refusal.TOO_LARGE, f"a segment of {len(data):,} bytes", expected=f"at most {limits.max_bytes:,}"
        )
    start = len(MAGIC) + _LENGTH.size
    if not data.startswith(MAGIC) or len(data) < start:
        raise refused_segment("does not start as a segment")
    (length,) = _LENGTH.unpack_from(data, len(MAGIC))
    if length > min(limits.max_header, len(data) - start):
        raise refused_segment("a header longer than allowed or than the segment")
    try:
        header = json.loads(data[start : start + length])
        kind, fields, tables = header["kind"], header["fields"], header["tables"]
        sizes = [(str(entry["name"]), int(entry["rows"]), int(entry["bytes"])) for entry in tables]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise refused_segment(f"a broken header ({type(error).__name__})") from error
    if not isinstance(kind, str) or not isinstance(fields, dict):
        raise refused_segment("a header without kind and fields")
    if (
        any(rows < 0 or size < 0 for _, rows, size in sizes)
        or sum(size for *_, size in sizes) != len(data) - start - length
    ):
        raise refused_segment("tables of another length than the header says")
    if sum(rows for _, rows, _ in sizes) > limits.max_rows:
        raise RefusedError(Refusal.TOO_LARGE, "a segment of too many rows", expected=f"at most {limits.max_rows:,}")
    return {"kind": kind, "fields": fields, "tables": sizes, "body": start + length}


def decode(data: bytes, limits: SegmentLimits = LIMITS) -> Segment:
    """Read a segment from a source that is not trusted.

    Raises
    ------
    RefusedError
        no segment, an unknown kind, compressed or broken tables, or over a limit.
    """
    header = peek(data, limits)
    if header["kind"] not in KINDS:
        raise RefusedError(
            Refusal.UNKNOWN_KIND,
            f"the inbox takes data only, not {header['kind'][:40]!r}",
            expected=", ".join(KINDS),
            do="decisions, policies, roles and tokens go through the owner's screens",
        )
    position, tables = header["body"], {}
    for name, rows, size in header["tables"]:
        try:
            table = _read_stream(pa.py_buffer(data)[position : position + size])
            table.validate(full=True)
        except (pa.ArrowException, ValueError, TypeError, OSError, IndexError, struct.error) as error:
            raise refused_segment(f"table {name[:40]!r} is broken ({type(error).__name__})") from error
        if table.num_rows != rows:
            raise refused_segment(f"table {name[:40]!r} has {table.num_rows} rows, its header says {rows}")
        tables[name] = table
        position += size
    return Segment(header["kind"], header["fields"], tables)


def _read_stream(buffer: pa.Buffer) -> pa.Table:
    for message in pa.ipc.MessageReader.open_stream(buffer):
        if message.type == "record batch" and _is_compressed(message.metadata.to_pybytes()):
            # A compressed buffer could unfold to any size; our writer never makes one.
            raise ValueError("compressed buffers")
    with pa.ipc.open_stream(buffer) as reader:
        return reader.read_all()


def _is_compressed(metadata: bytes) -> bool:
    """Whether a RecordBatch message (a flatbuffer) has its field ``compression`` set."""

    def field(table: int, number: int) -> int:
        vtable = table - struct.unpack_from("<i", metadata, table)[0]
        slot = 4 + 2 * number
        if slot >= struct.unpack_from("<H", metadata, vtable)[0]:
            return 0
        offset = struct.unpack_from("<H", metadata, vtable + slot)[0]
        return table + offset if offset else 0

    root = struct.unpack_from("<I", metadata, 0)[0]
    header = field(root, 2)
    if not header:
        raise ValueError("a message without a header")
    return field(header + struct.unpack_from("<I", metadata, header)[0], 3) != 0
