from __future__ import annotations

import gzip
import os
import time
from pathlib import Path
from typing import Any

import pytest

from ragsieve_core.formats.compression import Limits
from ragsieve_core.formats.reading import read_records
from ragsieve_core.formats.records import Record
from ragsieve_core.formats.rejected import Rejected
from ragsieve_core.formats.textfolder import first_heading, kind_of


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# One\n\nbody", "One"),
        ("intro\n\n## Two ##\n", "Two"),
        ("   ### Three # \n", "Three"),
        ("# C#\n", "C#"),
        ("#\n# Real\n", "Real"),
        ("#hashtag\n", ""),
        ("####### seven\n", ""),
        ("    # indented code\n", ""),
        ("Under\n=====\n", "Under"),
        ("Under\n---\n", "Under"),
        ("- item\n---\n", ""),
        ("---\ntitle: # no\n---\n# Yes\n", "Yes"),
        ("---\nnever closed\n# Yes\n", "Yes"),
        ("```\n# code\n```\n# Yes\n", "Yes"),
        ("~~~~\n# code\n~~~\n# code\n~~~~\n# Yes\n", "Yes"),
        ("```\n# code", ""),
        ("", ""),
        ("plain", ""),
    ],
)
def test_first_heading(text: str, title: str) -> None:
    assert first_heading(text) == title


def test_a_hostile_line_costs_linear_time() -> None:
    start = time.process_time()
    first_heading("# " + "# " * 500_000 + "x\n" + "=" * 1_000_000 + "x")
    first_heading(" \t#" * 300_000)
    assert time.process_time() - start < 2


def test_kinds() -> None:
    names = ["a.txt", "A.TXT", "a.md", "a.markdown", "a.md.gz", "a.txt.zst", "a.pdf", "txt", "a.gz"]
    assert [kind_of(name) for name in names] == [
        "text", "text", "markdown", "markdown", "markdown", "text", "", "", "",
    ]  # fmt: skip


def test_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    (folder / "b.txt").write_bytes("\ufeffline one\r\nline two".encode())
    (folder / "a.md").write_text("# A title\n\nBody.\n")
    (folder / "sub" / "c.txt.gz").write_bytes(gzip.compress(b"packed"))
    (folder / "d.txt").write_bytes("wide".encode("utf-16"))
    (folder / "e.pdf").write_bytes(b"%PDF")
    (folder / ".hidden.txt").write_text("no")
    (folder / "empty.txt").write_text("")
    (folder / "latin.txt").write_bytes(b"one\ncaf\xe9")
    (folder / "long.txt").write_text("x" * 2000)
    (folder / "link.txt").symlink_to(folder / "b.txt")
    (folder / "up").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.txt")
    (folder / "cut.txt").write_bytes(gzip.compress(b"x" * 100)[:-5])
    (folder / os.fsdecode(b"bad\xff.txt")).write_text("x")
    rows = list(read_records(folder, limits=Limits(max_line_bytes=1000)))
    taken = [(r.id, r.title, r.text) for r in rows if isinstance(r, Record)]
    assert taken == [
        ("a.md", "A title", "# A title\n\nBody.\n"),
        ("b.txt", "", "line one\nline two"),
        ("d.txt", "", "wide"),
        ("empty.txt", "", ""),
        ("sub/c.txt.gz", "", "packed"),
    ]
    faults = {r.file.removeprefix(f"{folder}/"): (r.line, r.field, r.reason) for r in rows if isinstance(r, Rejected)}
    assert faults == {
        "bad\\xff.txt": (0, "id", "the name of the file is not UTF-8"),
        "cut.txt": (0, "", "the gzip data is damaged: it ends early"),
        "latin.txt": (2, "text", "byte 8 is not UTF-8"),
        "link.txt": (0, "", "is a symbolic link"),
        "long.txt": (0, "text", "is longer than 1,000 bytes"),
        "pipe.txt": (0, "", "is a FIFO"),
        "up": (0, "", "is a symbolic link"),
    }
    assert [row.ordinal for row in rows] == list(range(len(rows)))


def test_one_file(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("# T\nx")
    assert list(read_records(path)) == [Record("page.md", "# T\nx", "T", file=str(path), line=1, ordinal=0)]


def test_a_folder_behind_a_link(tmp_path: Path, error_text: Any) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    error_text(lambda: list(read_records(tmp_path / "link", format="text")), tmp_path / "link")


def test_a_missing_folder(tmp_path: Path, error_text: Any) -> None:
    error_text(lambda: list(read_records(tmp_path / "none", format="text")), tmp_path / "none")
