"""Nothing but a segment is read as one, and its id is its hash."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.warehouse.builders import documents
from warehouse.errors import RefusedError
from warehouse.refusals import Refusal
from warehouse.segment_kinds import documents_segment, read_documents
from warehouse.segments import LIMITS, MAGIC, SegmentLimits, decode, encode, segment_id


def _reason(data: bytes, limits: SegmentLimits = LIMITS) -> str:
    with pytest.raises(RefusedError) as caught:
        decode(data, limits)
    return str(caught.value.reason)


def test_limits_and_kinds() -> None:
    data = documents_segment("c", [documents(5)])
    assert _reason(data, SegmentLimits(max_bytes=100)) == Refusal.TOO_LARGE
    assert _reason(data, SegmentLimits(max_rows=4)) == Refusal.TOO_LARGE
    assert _reason(data, SegmentLimits(max_header=10)) == Refusal.BAD_SEGMENT
    forged = data.replace(b'"kind":"documents"', b'"kind":"decisions"')
    assert len(forged) == len(data)
    assert _reason(forged) == Refusal.UNKNOWN_KIND


def test_compressed_tables_are_refused() -> None:
    table = pa.table({"event": ["x" * 100_000]})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    stream = sink.getvalue().to_pybytes()
    plain = encode("events", {}, {"events": table})
    assert decode(plain).tables["events"].num_rows == 1
    header = b'{"fields":{},"kind":"events","tables":[{"bytes":%d,"name":"events","rows":1}]}' % len(stream)
    data = MAGIC + len(header).to_bytes(8, "little") + header + stream
    assert _reason(data) == Refusal.BAD_SEGMENT


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damaged_segments_are_refused_and_never_a_traceback(data: st.DataObject) -> None:
    sound = bytearray(documents_segment("c", [documents(3)]))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(sound) - 1))
        sound[place] = data.draw(st.integers(0, 255))
    cut = bytes(sound[: data.draw(st.integers(0, len(sound)))])
    for candidate in (
        bytes(sound),
        cut,
        data.draw(st.binary(max_size=200)),
        MAGIC + data.draw(st.binary(max_size=200)),
    ):
        try:
            read_documents(decode(candidate))
        except (RefusedError, KeyError, TypeError, ValueError, AttributeError, IndexError):
            # decode refuses; what decodes but does not fit is caught and refused by take_bytes.
            continue


def test_ids_are_hashes() -> None:
    assert segment_id(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
