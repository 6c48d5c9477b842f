from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragsieve_core.formats.compression import Limits
from ragsieve_core.formats.mapping import ColumnMapping
from ragsieve_core.formats.records import Record
from ragsieve_core.formats.rejected import Rejected
from ragsieve_core.formats.taking import Taker


def taken(row: dict[str, Any], mapping: ColumnMapping | None = None) -> Record | Rejected:
    taker = Taker(mapping or ColumnMapping(), Limits(max_line_bytes=5000))
    taker.take(row, "f", 3)
    (only,) = taker.flush().rows()
    return only


def test_every_field() -> None:
    row = {
        "_id": 17,
        "text": "body",
        "title": "T",
        "source": "https://example.org/a",
        "parent_id": 4,
        "contributor": "ann",
        "tenant": "t1",
        "acl": "staff; legal ;",
        "license": "CC0",
        "batch": 2024,
        "metadata": {"year": 1999},
        "lang": "en",
        "empty": None,
        "embedding": [0.5, -1],
    }
    record = taken(row)
    assert isinstance(record, Record)
    assert record.embedding is not None
    np.testing.assert_array_equal(record.embedding, np.array([0.5, -1], dtype=np.float32))
    assert record == Record(
        "17", "body", "T", "https://example.org/a", "4", "ann", "t1", ("staff", "legal"), "CC0", "2024",
        {"year": 1999, "lang": "en"}, record.embedding, "f", 3, 0,
    )  # fmt: skip


def test_only_id_and_text_are_needed() -> None:
    assert taken({"id": "a", "text": ""}) == Record("a", "", file="f", line=3, ordinal=0)


def test_mapped_columns() -> None:
    record = taken({"key": "a", "body": "b", "id": 5, "text": "other"}, ColumnMapping(id="key", text="body"))
    assert record == Record("a", "b", metadata={"id": 5, "text": "other"}, file="f", line=3, ordinal=0)


def test_metadata_as_json_text_and_a_value_given_twice() -> None:
    record = taken({"id": "a", "text": "", "metadata": '{"x": 1}', "x": 1, "y": float("nan")})
    assert isinstance(record, Record)
    assert record.metadata == {"x": 1}


@pytest.mark.parametrize(
    ("row", "field", "reason"),
    [
        ({"text": "b"}, "id", "the field is missing (there: text)"),
        ({}, "id", "the field is missing (there: no field at all)"),
        ({"id": "a"}, "text", "the field is missing (there: id)"),
        ({"id": None, "text": "b"}, "id", "is empty"),
        ({"id": " \t", "text": "b"}, "id", "is empty"),
        ({"id": "", "text": "b"}, "id", "is empty"),
        ({"id": True, "text": "b"}, "id", "is true"),
        ({"id": 1.5, "text": "b"}, "id", "is 1.5"),
        ({"id": ["a"], "text": "b"}, "id", "is a list of 1"),
        ({"id": "a\nb", "text": "b"}, "id", "holds the control character U+000A"),
        ({"id": "a\u0085b", "text": "b"}, "id", "holds the control character U+0085"),
        ({"id": "a\0", "text": "b"}, "id", "holds the control character U+0000"),
        ({"id": "é" * 1025, "text": "b"}, "id", "is 1,025 characters long"),
        ({"id": "a", "text": None}, "text", "is null"),
        ({"id": "a", "text": 5}, "text", "is 5"),
        ({"id": "a", "text": "a\0b"}, "text", "holds the character U+0000"),
        ({"id": "a", "text": "x" * 5001}, "text", "is 5,001 characters long"),
        ({"id": "a", "text": "", "title": 0}, "title", "is 0"),
        ({"id": "a", "text": "", "title": []}, "title", "is a list of 0"),
        ({"id": "a", "text": "", "title": "\0"}, "title", "holds the character U+0000"),
        ({"id": "a", "text": "", "tenant": {"a": 1}}, "tenant", "is an object of 1"),
        ({"id": "a", "text": "", "acl": [1]}, "acl", "is a list of 1"),
        ({"id": "a", "text": "", "metadata": "5"}, "metadata",
         "is not a JSON object: the line is a bare value, not an object"),
        ({"id": "a", "text": "", "metadata": [1]}, "metadata", "is a list of 1"),
        ({"id": "a", "text": "", "metadata": {"x": 1}, "x": 2}, "x",
         "'x' stands both beside and inside metadata, with different values"),
        ({"id": "a", "text": "", "metadata": {"x": float("inf")}}, "metadata", "holds NaN or an infinite number"),
        ({"id": "a", "text": "", "embedding": "1,2"}, "embedding", "is '1,2'"),
        ({"id": "a", "text": "", "embedding": []}, "embedding", "is an empty list"),
        ({"id": "a", "text": "", "embedding": [1, None]}, "embedding", "is a list of 2"),
        ({"id": "a", "text": "", "embedding": [1, True]}, "embedding", "is a list of 2"),
        ({"id": "a", "text": "", "embedding": [0.0, 0]}, "embedding", "holds only zeros"),
        ({"id": "a", "text": "", "embedding": [1e300, 1]}, "embedding", "holds NaN, null or an infinite value"),
        ({"id": "a", "text": "", "embedding": [10**400, 1]}, "embedding", "holds too large a number"),
    ],
)  # fmt: skip
def test_rejected(row: dict[str, Any], field: str, reason: str) -> None:
    rejected = taken(row)
    assert isinstance(rejected, Rejected)
    assert (rejected.field, rejected.reason) == (field, reason)
    assert (rejected.file, rejected.line, rejected.ordinal) == ("f", 3, 0)
    assert rejected.expected


def test_columns_stay_aligned_whatever_comes() -> None:
    taker = Taker()
    taker.take({"id": "a", "text": "1"}, "f", 1)
    taker.take({"id": "b", "text": "2", "title": "B", "acl": ["x"], "embedding": [1.0, 2.0]}, "f", 2)
    taker.take({"id": "c"}, "f", 3)
    taker.take({"id": "d", "text": "4", "extra": 1}, "f", 4)
    taker.take({"id": "e", "text": "5", "embedding": [1.0, 2.0, 3.0]}, "f", 5)
    batch = taker.flush()
    assert batch.id == ["a", "b", "d"]
    assert batch.title == ["", "B", ""]
    assert batch.acl == [(), ("x",), ()]
    assert batch.metadata == ["", "", '{"extra":1}']
    assert batch.ordinal == [0, 1, 3]
    assert batch.embeddings is not None
    np.testing.assert_array_equal(np.isnan(batch.embeddings[:, 0]), [True, False, True])
    assert [(r.ordinal, r.reason) for r in batch.rejected] == [
        (2, "the field is missing (there: id)"),
        (4, "has 3 dimensions"),
    ]
    assert [r.ordinal for r in batch.rows()] == [0, 1, 2, 3, 4]
    assert batch.records == 5
    taker.take({"id": "f", "text": "6"}, "f", 6)
    later = taker.flush()
    assert (later.id, later.title, later.ordinal, later.embeddings) == (["f"], [""], [5], None)


def test_many_kinds_of_rows_are_planned_anew() -> None:
    taker = Taker()
    for number in range(2500):
        taker.take({"id": str(number), "text": "", f"key{number}": number}, "f", number)
    batch = taker.flush()
    assert len(batch) == 2500
    assert batch.metadata[2400] == '{"key2400":2400}'
