from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.formats.mapping import ColumnMapping


def test_flags() -> None:
    mapping = ColumnMapping.from_flags(["id=_id", "text=body", "source=url", "license=rights", "title=a=b"])
    assert (mapping.id, mapping.text, mapping.source_uri, mapping.licence) == ("_id", "body", "url", "rights")
    assert mapping.title == "a=b"


def test_resolve_takes_the_first_name_there() -> None:
    mapping = ColumnMapping()
    assert mapping.resolve(["_id", "text", "license"]) == {"id": "_id", "text": "text", "licence": "license"}
    assert mapping.resolve(["document_id", "_id", "id"])["id"] == "id"
    assert ColumnMapping(id="key").resolve(["id", "text"]) == {"text": "text"}


def test_one_column_never_stands_for_two_fields() -> None:
    assert ColumnMapping(title="text").resolve(["id", "text"]) == {"id": "id", "text": "text"}


FLAGS = {
    "unknown_field": ["txet=body"],
    "no_sign": ["text"],
    "no_column": ["text="],
    "twice": ["text=a", "text=b"],
    "one_column_twice": ["text=a", "title=a"],
    "hostile": ["\x1b[31m=a"],
}


@pytest.mark.parametrize("name", FLAGS)
def test_bad_flags(name: str, tmp_path: Path, error_text: Any) -> None:
    error_text(lambda: ColumnMapping.from_flags(FLAGS[name]), tmp_path / "x")


def test_columns_are_names() -> None:
    with pytest.raises(InputError, match="name of a column"):
        ColumnMapping(id=3)  # type: ignore[arg-type]
