from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragsieve_core.errors import InputError
from ragsieve_core.formats.compression import Limits
from ragsieve_core.formats.mapping import ColumnMapping
from ragsieve_core.formats.reading import read_records
from ragsieve_core.formats.records import Record
from ragsieve_core.formats.rejected import Rejected


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "in.csv"


def seen(path: Path, **options: Any) -> list[Any]:
    """Ids of records, (line, reason) of rejected ones."""
    return [r.id if isinstance(r, Record) else (r.line, r.reason) for r in read_records(path, **options)]


_CELL = st.text(
    st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from(['"', ",", ";", "\n", "\t"]), max_size=12
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(_CELL, _CELL), min_size=1, max_size=8))
def test_agrees_with_pandas(tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str]]) -> None:
    path = tmp_path_factory.mktemp("csv") / "in.csv"
    rows = [(f"d{place}", text, title) for place, (text, title) in enumerate(cells)]
    frame = pd.DataFrame(rows, columns=["id", "text", "title"])
    frame.to_csv(path, index=False)
    again = pd.read_csv(path, dtype=str, keep_default_na=False)
    records = list(read_records(path))
    assert [(r.id, r.text, r.title) for r in records if isinstance(r, Record)] == rows
    assert list(again.itertuples(index=False, name=None)) == rows


@pytest.mark.parametrize(("name", "mark"), [("a.csv", ","), ("b.csv", ";"), ("c.csv", "\t"), ("d.tsv", "\t")])
def test_delimiters(name: str, mark: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(f"id{mark}text\nx{mark}one\n")
    assert list(read_records(path)) == [Record("x", "one", file=str(path), line=2, ordinal=0)]


def test_quotes_lines_and_compression(path: Path) -> None:
    path.write_bytes(gzip.compress('\ufeffid,text,acl,year\r\n\r\na,"one\r\ntwo ""x""",s;t,1999\r\n'.encode()))
    (record,) = read_records(path)
    assert record == Record(
        "a", 'one\ntwo "x"', acl=("s", "t"), metadata={"year": "1999"}, file=str(path), line=3, ordinal=0
    )


def test_bad_rows_go_alone(path: Path) -> None:
    path.write_bytes(b'id,text\na,1\nb,1,2\nc\nd,"x"y\ne,caf\xe9\n,no id\ng,lone\rreturn\nh,nul\0\n   \ni,9\n')
    assert seen(path) == [
        "a",
        (3, "has 3 cells, the header 2"),
        (4, "has 1 cells, the header 2"),
        (5, "broken quoting: ',' expected after '\"'"),
        (6, "the record is not UTF-8"),
        (7, "is empty"),
        (8, "a lone carriage return outside quotes"),
        (9, "holds the character U+0000"),
        "i",
    ]


def test_an_open_quote_costs_one_record(path: Path) -> None:
    path.write_text('id,text\na,1\nb,"open\nc,3\nd,4\n')
    assert seen(path) == ["a", (3, "a quote that opens here never closes"), "c", "d"]
    path.write_text('id,text\na,1\nb,"open\nc,3\nd,"4"\ne,5\n')
    assert seen(path) == ["a", (3, "broken quoting: ',' expected after '\"'"), "c", "d", "e"]


def test_long_records(path: Path) -> None:
    path.write_text("id,text\na," + "x" * 100 + '\nb,2\nc,"' + "y\n" * 50 + "z\nd,4\n")
    found = seen(path, limits=Limits(max_line_bytes=60))
    assert found[:3] == [(2, "the record is longer than 60 bytes"), "b", (4, "the record is longer than 60 bytes")]
    assert found[-1] == "d"


def test_a_large_cell_is_fine(path: Path) -> None:
    path.write_text("id,text\na," + "x" * 200_000 + "\n")
    assert seen(path) == ["a"]


def test_mapping(path: Path) -> None:
    path.write_text("_id,body,url\n7,text,u\n")
    (record,) = read_records(path, mapping=ColumnMapping.from_flags(["text=body", "source=url"]))
    assert record == Record("7", "text", source_uri="u", file=str(path), line=2, ordinal=0)


HEADERS = {
    "empty": b"",
    "blank": b"\n\n",
    "no_id": b"name,text\na,b\n",
    "no_text": b"id,body\na,b\n",
    "named_twice": b"id,text,text\na,b,c\n",
    "not_utf8": b"id,t\xe9xt\na,b\n",
    "open_quote": b'id,"text\na,b\n',
    "one_line_returns": b"id,text\ra,b\rc,d\r",
}


@pytest.mark.parametrize("name", HEADERS)
def test_bad_headers(name: str, path: Path, error_text: Any) -> None:
    path.write_bytes(HEADERS[name])
    error_text(lambda: list(read_records(path)), path)


def test_a_header_alone_is_no_input(path: Path) -> None:
    path.write_text("id,text\n")
    with pytest.raises(InputError, match="holds no document"):
        list(read_records(path))


@settings(max_examples=300, deadline=None)
@example(['"', "\n", "é", "\0", '"'])
@given(st.lists(st.sampled_from(['"', ",", "\n", "a", "é", "\r", '""', 'b,"x"\n', "c,d\n", "\0"]), max_size=40))
def test_no_line_is_ever_lost(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    path = tmp_path_factory.mktemp("csv") / "in.csv"
    body = "".join(pieces)
    path.write_text("id,text\nfirst,1\n" + body, newline="")
    rows = list(read_records(path))
    lines = {row.line for row in rows}
    # Each line that is not blank begins a record or lies inside a quoted cell of the one before it.
    covered = set(lines)
    for row in rows:
        if isinstance(row, Record):
            covered |= set(range(row.line, row.line + 1 + row.text.count("\n") + row.id.count("\n")))
    filled = {number for number, line in enumerate(("id,text\nfirst,1\n" + body).split("\n"), 1) if line.strip()}
    extra = {
        number
        for row in rows
        if isinstance(row, Rejected)
        and not row.reason.startswith(("broken", "a quote", "a lone", "the record is longer"))
        for number in range(row.line, len(filled) + 50)
    }
    assert filled - {1} <= covered | extra


def test_python_csv_reads_the_same(path: Path) -> None:
    text = 'id,text\n"a","x, ""y"""\nb,\'q\'\n'
    path.write_text(text)
    expected = [tuple(row) for row in csv.reader(io.StringIO(text))][1:]
    assert [(r.id, r.text) for r in read_records(path) if isinstance(r, Record)] == expected
