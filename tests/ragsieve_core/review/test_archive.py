from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.review.archive import build_archive, verify_archive

ENTRIES = {"a.json": b"{}", "b.json": b"[1, 2]"}


def rewritten(data: bytes, **changes: bytes | None) -> bytes:
    """The archive with other content of some entries, or without them."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            content = changes.get(name.replace(".", "_"), old.read(name))
            if content is not None:
                new.writestr(name, content)
        if (more := changes.get("more")) is not None:
            new.writestr("../more", more)
    return stream.getvalue()


def test_equal_entries_give_equal_bytes_that_hold(tmp_path: Path) -> None:
    data = build_archive(ENTRIES, {"kind": "incident"})
    assert data == build_archive(dict(reversed(ENTRIES.items())), {"kind": "incident"})
    (tmp_path / "x.zip").write_bytes(data)
    report = verify_archive(tmp_path / "x.zip")
    assert (report.ok, report.entries, report.problems) == (True, 2, ())


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"a_json": b"{ }"}, "'a.json' is not what the manifest says"),
        ({"a_json": None}, "'a.json' is missing"),
        ({"more": b"x"}, "'../more' is not in the manifest"),
        ({"manifest_json": None}, "the manifest is missing"),
        ({"manifest_json": b"[]"}, "the manifest cannot be read"),
    ],
)
def test_what_does_not_hold(tmp_path: Path, changes: dict, problem: str) -> None:
    file = tmp_path / "x.zip"
    file.write_bytes(rewritten(build_archive(ENTRIES, {}), **changes))
    report = verify_archive(file)
    assert not report.ok
    assert problem in report.problems
    assert list(tmp_path.iterdir()) == [file], "nothing is extracted"


def test_every_flipped_byte_is_seen(tmp_path: Path) -> None:
    data = build_archive(ENTRIES, {})
    file = tmp_path / "x.zip"
    for place in range(len(data)):
        file.write_bytes(data[:place] + bytes([data[place] ^ 0x20]) + data[place + 1 :])
        try:
            report = verify_archive(file)
        except InputError:
            continue
        assert not report.ok, place


def test_what_is_no_archive(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        verify_archive(tmp_path / "none.zip")
    (tmp_path / "x.zip").write_bytes(b"no zip")
    with pytest.raises(InputError):
        verify_archive(tmp_path / "x.zip")
    with pytest.raises(InputError):
        build_archive({"manifest.json": b""}, {})
