"""Names of columns, read from files that other libraries wrote."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.formats.columns import columns_of

FRAME = pd.DataFrame({"key": ["a"], "body, with comma": ["t"], "title": ["x"]})


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow", "csv.gz"])
def test_columns_as_pandas_wrote_them(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{ending}"
    if ending == "parquet":
        FRAME.to_parquet(path)
    elif ending == "arrow":
        FRAME.to_feather(path, compression="uncompressed")
    elif ending == "csv.gz":
        path.write_bytes(gzip.compress(FRAME.to_csv(index=False).encode()))
    else:
        FRAME.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    assert columns_of(path) == tuple(FRAME.columns)


def test_keys_of_json_lines_in_order_of_appearance(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": 1, "text": "a"}\nnot json\n[1]\n{"text": "b", "url": "c"}\n')
    assert columns_of(path) == ("id", "text", "url")


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1 and nothing else PAR1")
    with pytest.raises(InputError, match="damaged"):
        columns_of(path)


def test_text_files_have_no_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("just text")
    assert columns_of(path) == ()
