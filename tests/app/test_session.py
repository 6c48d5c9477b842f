"""One open warehouse per process, and the screen when there is none."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.session import VARIABLE, MissingWarehouseError, close_warehouses, desk, open_warehouse
from ragsieve_core.errors import BusyError, InputError
from warehouse.database import Warehouse

MAIN = Path(__file__).resolve().parents[2] / "app" / "main.py"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    file = tmp_path / "w.duckdb"
    monkeypatch.setenv(VARIABLE, str(file))
    yield file
    close_warehouses()


@pytest.fixture
def held(path: Path) -> Iterator[Path]:
    """The warehouse while another process owns it."""
    program = (
        "import sys; from warehouse.database import Warehouse\n"
        "with Warehouse.open(sys.argv[1], command='scan <b>x</b>'): print('open', flush=True); sys.stdin.read()"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    assert owner.stdout.readline() == "open\n"
    yield path
    owner.communicate("")


def shown() -> str:
    page = AppTest.from_file(str(MAIN), default_timeout=60).run()
    assert not page.exception
    return "\n".join(str(part.value) for kind in (page.title, page.markdown, page.code) for part in kind)


def test_opened_once_and_again_after_closing(path: Path) -> None:
    Warehouse.open(path, command="test").close()
    first = open_warehouse()
    assert open_warehouse() is first
    assert desk().warehouse is first
    close_warehouses()
    assert first.closed
    assert open_warehouse() is not first


def test_the_threads_end_with_the_warehouse(path: Path) -> None:
    """A thread inside a query when the file closes would abort the interpreter."""
    Warehouse.open(path, command="test").close()
    open_warehouse()

    def running() -> set[str]:
        return {thread.name for thread in threading.enumerate()} & workers

    workers = {"ragsieve-inbox", "ragsieve-jobs", "ragsieve-canary"}
    assert running() == workers
    close_warehouses()
    assert running() == set()


def test_a_missing_file_is_not_made(path: Path) -> None:
    with pytest.raises(MissingWarehouseError):
        open_warehouse()
    assert not path.exists()
    text = shown()
    assert "No warehouse yet" in text
    assert "ragsieve demo" in text


def test_busy_names_the_holder(held: Path) -> None:
    with pytest.raises(BusyError):
        open_warehouse()
    text = shown()
    assert "The warehouse is in use" in text
    assert "scan <b>x</b>" in text


def test_a_file_that_is_no_warehouse_says_so(path: Path) -> None:
    path.write_bytes(b"this is not a database at all")
    with pytest.raises(InputError):
        open_warehouse()
    text = shown()
    assert "The warehouse cannot be opened" in text
    assert "not a DuckDB file" in text


def test_no_pages_folder_beside_the_entry_file() -> None:
    """Streamlit would run its files without the entry file, and so without any gate."""
    assert not (MAIN.parent / "pages").exists()
