"""Segments: the same bytes for the same content, and nothing but a segment is read as one."""

from __future__ import annotations

import dataclasses
from datetime import datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.warehouse.builders import documents, event_of, scan_of
from warehouse.errors import RefusedError
from warehouse.records import EncoderSpec
from warehouse.refusals import Refusal
from warehouse.segment_kinds import (
    documents_segment,
    embeddings_segment,
    events_segment,
    read_documents,
    read_embeddings,
    read_events,
    read_scan,
    scan_segment,
)
from warehouse.segments import LIMITS, MAGIC, SegmentLimits, decode, encode, segment_id

MOMENT = datetime(2026, 1, 2, 3, 4, 5, 6)
ENCODER = EncoderSpec("enc", "small", 3, {"pooling": "cls"})


def test_documents_come_back(wh) -> None:
    batch = documents(3)
    batch.acl = [("a", "b"), (), ("c",)]
    batch.metadata = ['{"k":1}', "", ""]
    matrix = np.arange(9, dtype=np.float32).reshape(3, 3)
    data = documents_segment("c", [batch], embeddings=matrix, encoder=ENCODER)
    assert data == documents_segment("c", [batch], embeddings=matrix, encoder=ENCODER)
    found, encoder = read_documents(decode(data))
    assert (found.id, found.text, found.acl, found.metadata) == (batch.id, batch.text, batch.acl, batch.metadata)
    assert encoder == ENCODER
    assert np.array_equal(found.embeddings, matrix)


def test_scans_come_back() -> None:
    scan = dataclasses.replace(
        scan_of("snap", np.array([3, 5, 9]), {1}), campaign=np.array([0, -1, 0]), detail=["{}", None, '{"a":1}']
    )
    found = read_scan(decode(scan_segment(scan)))
    for field in dataclasses.fields(scan):
        one, other = getattr(scan, field.name), getattr(found, field.name)
        if field.name == "neighbors":
            for part in dataclasses.fields(one):
                assert np.array_equal(getattr(one, part.name), getattr(other, part.name)), part.name
        elif isinstance(one, np.ndarray):
            assert np.array_equal(one, other), field.name
        else:
            assert one == other, field.name


def test_events_come_back() -> None:
    events = [
        event_of("q1", ["a", "b", "c"], {"a"}),
        event_of("ü", ["a", "b"], occurred_at=MOMENT),
    ]
    data = events_segment(events)
    found = read_events(decode(data))
    assert events_segment(found) == data
    assert [event.ranking for event in found] == [event.ranking for event in events]
    assert found[1].occurred_at == events[1].occurred_at


def test_vectors_come_back() -> None:
    matrix = np.random.default_rng(0).standard_normal((4, 3), dtype=np.float32)
    snapshot, encoder, versions, found = read_embeddings(
        decode(embeddings_segment("snap", ENCODER, np.array([1, 2, 3, 4]), matrix))
    )
    assert (snapshot, encoder, versions.tolist()) == ("snap", ENCODER, [1, 2, 3, 4])
    assert np.array_equal(found, matrix)


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
