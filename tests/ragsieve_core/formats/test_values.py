from __future__ import annotations

import datetime
import decimal
from typing import Any

import pytest

from ragsieve_core.formats.json_line import LineError
from ragsieve_core.formats.values import (
    acl_labels,
    dump_metadata,
    identifier,
    label,
    listed_vector,
    metadata_object,
)


def test_labels_and_ids() -> None:
    assert [label(value, "f") for value in ("a", 17, None, -(10**30))] == ["a", "17", "", f"-1{'0' * 30}"]
    assert identifier("x" * 1024, "id") == "x" * 1024
    assert identifier(" a ß\u202e", "id") == " a ß\u202e"
    for value in (True, 1.5, [], {}):
        with pytest.raises(LineError, match="is "):
            label(value, "f")


@pytest.mark.parametrize(
    ("value", "labels"),
    [(None, ()), ("", ()), ("a", ("a",)), ("a; b;;", ("a", "b")), (["a;b", "c"], ("a;b", "c")), ([], ())],
)
def test_acl(value: Any, labels: tuple[str, ...]) -> None:
    assert acl_labels(value, "acl") == labels


def test_metadata() -> None:
    assert metadata_object('{"a": [1]}', "m") == {"a": [1]}
    assert metadata_object(None, "m") == metadata_object("", "m") == {}
    moment = datetime.datetime(2024, 2, 29, 1, 2, 3, tzinfo=datetime.UTC)
    values = {"ß": moment, "n": decimal.Decimal("1.50"), "d": datetime.timedelta(hours=1), "t": datetime.time(4, 5)}
    assert dump_metadata(values, "m") == '{"ß":"2024-02-29T01:02:03+00:00","n":"1.50","d":"1:00:00","t":"04:05:00"}'
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for value, reason in ((deep, "nested too deep"), (float("nan"), "NaN"), (b"x", "without JSON form")):
        with pytest.raises(LineError, match=reason):
            dump_metadata({"a": value}, "m")


def test_vectors() -> None:
    vector = listed_vector([1, 2.5], "e")
    assert vector is not None
    assert vector.tolist() == [1.0, 2.5]
    assert listed_vector(None, "e") is None
