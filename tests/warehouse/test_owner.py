"""Election between real processes: one owner, named to the others, gone when its process is gone."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from ragsieve_core.errors import BusyError, InputError
from warehouse.database import Warehouse
from warehouse.owner import Owner, current_holder, resolve

HOLD = """
import sys
from pathlib import Path
from warehouse.owner import Owner
owner = Owner.acquire(Path(sys.argv[1]), "the other command")
print("held", flush=True)
sys.stdin.readline()
"""

OPEN = """
import sys
from ragsieve_core.errors import BusyError
from warehouse.database import Warehouse
try:
    with Warehouse.open(sys.argv[1], command="second"):
        print("opened")
except BusyError as error:
    print("busy", error.exit_code, error)
"""


def test_second_process_is_told_who_holds_it(tmp_path: Path, python) -> None:
    database = tmp_path / "w.duckdb"
    other = python(HOLD, database)
    assert other.stdout.readline() == "held\n"
    with pytest.raises(BusyError) as caught:
        Warehouse.open(database, command="mine")
    assert caught.value.exit_code == 3
    assert "the other command" in str(caught.value)
    assert str(other.pid) in str(caught.value)
    assert "do: " in str(caught.value)
    holder = current_holder(database)
    assert holder is not None
    assert (holder.pid, holder.command) == (other.pid, "the other command")
    assert not database.exists(), "a refused open must not make the file"


def test_kill_releases_the_lock(tmp_path: Path, python) -> None:
    database = tmp_path / "w.duckdb"
    other = python(HOLD, database)
    assert other.stdout.readline() == "held\n"
    os.kill(other.pid, signal.SIGKILL)
    other.wait()
    assert current_holder(database) is None
    with Warehouse.open(database, command="mine") as wh:
        assert wh.owner.holder.pid == os.getpid()


def test_waits_for_the_other_to_end(tmp_path: Path, python) -> None:
    database = tmp_path / "w.duckdb"
    other = python(HOLD, database)
    assert other.stdout.readline() == "held\n"
    other.stdin.write("\n")
    other.stdin.flush()
    with Warehouse.open(database, command="mine", wait_s=20):
        pass


def test_reading_the_live_file_inside_the_owner_lets_nobody_in(tmp_path: Path, python) -> None:
    """DuckDB's own lock is dropped by this (POSIX fcntl); the election must not be."""
    database = tmp_path / "w.duckdb"
    with Warehouse.open(database, command="owner") as wh:
        wh.checkpoint()
        with open(database, "rb") as stream:
            stream.read(100)
        (tmp_path / "w.duckdb.lock").read_bytes()
        output, _ = python(OPEN, database).communicate(timeout=60)
    assert output.startswith("busy 3 "), output


def test_one_process_opens_a_file_once(tmp_path: Path) -> None:
    database = tmp_path / "w.duckdb"
    with Warehouse.open(database, command="first"), pytest.raises(BusyError, match="'first'"):
        Warehouse.open(database, command="again")


def test_a_symlink_is_the_same_warehouse(tmp_path: Path) -> None:
    (tmp_path / "link.duckdb").symlink_to(tmp_path / "w.duckdb")
    with Warehouse.open(tmp_path / "w.duckdb", command="first"), pytest.raises(BusyError):
        Warehouse.open(tmp_path / "link.duckdb", command="again")


def test_a_hard_link_is_refused(tmp_path: Path) -> None:
    with Warehouse.open(tmp_path / "w.duckdb", command="first"):
        pass
    os.link(tmp_path / "w.duckdb", tmp_path / "twin.duckdb")
    with pytest.raises(InputError, match="2 hard links"):
        Warehouse.open(tmp_path / "twin.duckdb", command="again")


def test_a_forked_child_does_not_keep_the_lock(tmp_path: Path) -> None:
    database = tmp_path / "w.duckdb"
    read, write = os.pipe()
    owner = Owner.acquire(database, "parent")
    child = os.fork()
    if child == 0:
        os.close(write)
        os.read(read, 1)
        os._exit(0)
    owner.release()
    try:
        Owner.acquire(database, "next").release()
    finally:
        os.close(write)
        os.waitpid(child, 0)
        os.close(read)


@pytest.mark.parametrize("name", ["missing/w.duckdb", "folder"])
def test_paths_that_cannot_be_a_warehouse(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError):
        resolve(tmp_path / name)


def test_a_lock_file_that_says_nothing_useful(tmp_path: Path, python) -> None:
    database = tmp_path / "w.duckdb"
    other = python(HOLD, database)
    assert other.stdout.readline() == "held\n"
    (tmp_path / "w.duckdb.lock").write_text("{broken")
    with pytest.raises(BusyError, match="unknown command"):
        Warehouse.open(database, command="mine")
