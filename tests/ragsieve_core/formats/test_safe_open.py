from __future__ import annotations

import fcntl
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.formats import safe_open
from ragsieve_core.formats.reading import read_records
from ragsieve_core.formats.safe_open import open_input, protect, read_blocks, unprotect


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "in.jsonl"


def test_reads_a_plain_file(path: Path) -> None:
    path.write_bytes(b"abc")
    with open_input(path) as file:
        assert file.read() == b"abc"
    assert b"".join(read_blocks(path)) == b"abc"


def test_missing(path: Path, error_text: Any) -> None:
    error_text(lambda: open_input(path), path)


def test_file_used_as_folder(path: Path, error_text: Any) -> None:
    path.write_bytes(b"")
    error_text(lambda: open_input(path / "below"), path)


@pytest.mark.parametrize("kind", ["symlink", "dangling", "directory", "fifo", "socket", "device"])
def test_only_regular_files(kind: str, path: Path, error_text: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (path.parent / "real").write_bytes(b"x")
    if kind == "symlink":
        path.symlink_to(path.parent / "real")
    elif kind == "dangling":
        path.symlink_to(path.parent / "nowhere")
    elif kind == "directory":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        monkeypatch.chdir(path.parent)  # a socket's name is limited to about 100 bytes
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    else:
        path = Path("/dev/null")
    error_text(lambda: open_input(path), path)


def test_no_permission(path: Path, error_text: Any) -> None:
    path.write_bytes(b"x")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    error_text(lambda: open_input(path), path)


def test_a_nul_in_the_name(path: Path, error_text: Any) -> None:
    error_text(lambda: open_input(str(path) + "\0.gz"), path)


def test_a_hostile_name_is_shown_escaped(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        open_input(os.fsencode(tmp_path) + b"/\xff\x1b[31m\n\xe2\x80\xaeevil")
    assert raised.value.where.endswith("/\\xff\\x1b[31m\\n\\u202eevil")


@pytest.fixture
def warehouse(tmp_path: Path) -> Any:
    target = tmp_path / "w.duckdb"
    target.write_bytes(b'{"id": "a", "text": "b"}\n')
    names = [target, tmp_path / "w.duckdb.wal", tmp_path / "w.duckdb.lock"]
    for name in names:
        protect(name)
    yield target
    for name in names:
        unprotect(name)


def _locked_by_us(path: Path) -> bool:
    """True if another process cannot take the POSIX lock that this one should still hold."""
    code = (
        "import fcntl, sys; f = open(sys.argv[1], 'r+b')\n"
        "try: fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "except OSError: sys.exit(7)"
    )
    return subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == 7


@pytest.mark.parametrize("way", ["itself", "hard_link", "dots"])
def test_protected_file_is_refused_and_its_lock_survives(way: str, warehouse: Path, error_text: Any) -> None:
    other = warehouse.parent / "other.jsonl"
    os.link(warehouse, other)
    (warehouse.parent / "sub").mkdir()
    way_in = {"itself": warehouse, "hard_link": other, "dots": warehouse.parent / "sub" / ".." / "w.duckdb"}[way]
    holder = os.open(warehouse, os.O_RDWR)
    try:
        fcntl.lockf(holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        error_text(lambda: list(read_records(way_in)), warehouse)
        assert _locked_by_us(warehouse)
        # the trap this guards against, to be sure that the check above can fail
        with open(warehouse, "rb"):
            pass
        assert not _locked_by_us(warehouse)
    finally:
        os.close(holder)


def test_the_wal_is_protected_once_it_appears(warehouse: Path, error_text: Any) -> None:
    wal = warehouse.with_name("w.duckdb.wal")
    wal.write_bytes(b"log")
    os.link(wal, warehouse.parent / "log")
    error_text(lambda: open_input(warehouse.parent / "log"), warehouse)
    unprotect(wal)
    with open_input(warehouse.parent / "log") as file:
        assert file.read() == b"log"


def test_a_file_swapped_in_after_the_check_keeps_its_lock(
    warehouse: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(b"harmless")

    def swap(name: Any) -> os.stat_result:
        status = os.lstat(name)
        path.unlink()
        os.link(warehouse, path)
        return status

    monkeypatch.setattr(safe_open, "check_regular", swap)
    holder = os.open(warehouse, os.O_RDWR)
    try:
        fcntl.lockf(holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(InputError, match="warehouse's own file"):
            open_input(path)
        assert _locked_by_us(warehouse)
    finally:
        os.close(holder)


def test_a_fifo_swapped_in_does_not_hang(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(path)
    monkeypatch.setattr(safe_open, "check_regular", os.lstat)
    with pytest.raises(InputError, match="is a FIFO"):
        open_input(path)


def test_unprotecting_twice_is_fine(warehouse: Path) -> None:
    unprotect(warehouse)
    unprotect(warehouse)
    with open_input(warehouse) as file:
        assert file.read(1) == b"{"
