"""Transactions, cursors and the ways a disk can say no."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from pathlib import Path

import duckdb
import pytest

from ragsieve_core.errors import BusyError, InputError
from ragsieve_core.formats.protected import protected_target
from warehouse.database import Warehouse
from warehouse.errors import SchemaError, StorageError


def _facts(wh: Warehouse) -> int:
    found = wh.cursor().execute("SELECT count(*) FROM warehouse_facts").fetchone()
    assert found is not None
    return int(found[0])


def test_commit_and_rollback(wh: Warehouse) -> None:
    with wh.transaction() as cursor:
        cursor.execute("INSERT INTO warehouse_facts VALUES ('a', '1')")
    with pytest.raises(ZeroDivisionError), wh.transaction() as cursor:  # noqa: PT012
        cursor.execute("INSERT INTO warehouse_facts VALUES ('b', '1')")
        _ = 1 / 0
    assert _facts(wh) == 1


def test_a_conflict_reruns_the_whole_transaction(wh: Warehouse) -> None:
    with wh.transaction() as cursor:
        cursor.execute("INSERT INTO warehouse_facts VALUES ('n', '0')")
    rival = wh.cursor()
    tries = []

    def work(cursor: duckdb.DuckDBPyConnection) -> int:
        tries.append(cursor.execute("SELECT value FROM warehouse_facts WHERE name = 'n'").fetchall()[0][0])
        if len(tries) == 1:
            # Outside the write lock on purpose: what the retry is the net for.
            rival.execute("UPDATE warehouse_facts SET value = '10' WHERE name = 'n'")
        cursor.execute("UPDATE warehouse_facts SET value = (value::INT + 1)::VARCHAR WHERE name = 'n'")
        return len(tries)

    assert wh.run_transaction(work) == 2
    assert tries == ["0", "10"]
    assert wh.cursor().execute("SELECT value FROM warehouse_facts").fetchall() == [("11",)]


def test_a_constraint_is_not_retried(wh: Warehouse) -> None:
    calls = []

    def work(cursor: duckdb.DuckDBPyConnection) -> None:
        calls.append(1)
        cursor.execute("INSERT INTO warehouse_facts VALUES ('x', '1')")
        cursor.execute("INSERT INTO warehouse_facts VALUES ('x', '2')")

    with pytest.raises(duckdb.ConstraintException):
        wh.run_transaction(work)
    assert len(calls) == 1
    assert _facts(wh) == 0


def test_threads_with_cursors_of_their_own_read_right_answers(wh: Warehouse) -> None:
    wrong: list[int] = []

    def ask(number: int) -> None:
        for _ in range(200):
            with wh.reading() as cursor:
                if cursor.execute("SELECT ?::INT + count(*) FROM range(10)", [number]).fetchall() != [(number + 10,)]:
                    wrong.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_write_inside_a_write_is_a_mistake(wh: Warehouse) -> None:
    with wh.transaction(), pytest.raises(RuntimeError, match="already open"), wh.transaction():
        pass


def test_readers_cannot_write(wh: Warehouse) -> None:
    with pytest.raises(duckdb.Error), wh.reading() as cursor:
        cursor.execute("INSERT INTO warehouse_facts VALUES ('x', '1')")


def test_closed_means_closed(tmp_path: Path) -> None:
    wh = Warehouse.open(tmp_path / "w.duckdb", command="pytest")
    assert protected_target(wh.path) is not None
    wh.close()
    wh.close()
    assert wh.closed
    assert protected_target(tmp_path / "w.duckdb") is None
    with pytest.raises(StorageError, match="closed"):
        wh.cursor()


def test_sql_reaches_no_other_file(wh: Warehouse, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    with pytest.raises(duckdb.PermissionException):
        wh.cursor().execute(f"SELECT * FROM read_csv('{tmp_path}/secret.csv')").fetchall()


@pytest.mark.parametrize("content", [b"hello " * 4000, b"x", b"SQLite format 3\0" + b"\0" * 5000])
def test_a_file_that_is_no_warehouse_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.duckdb"
    path.write_bytes(content)
    with pytest.raises(SchemaError, match="not a DuckDB file"):
        Warehouse.open(path, command="pytest")
    assert path.read_bytes() == content


def test_an_empty_file_becomes_a_warehouse(tmp_path: Path) -> None:
    (tmp_path / "w.duckdb").touch()
    with Warehouse.open(tmp_path / "w.duckdb", command="pytest") as wh:
        assert _facts(wh) == 0


def test_another_products_database_is_refused(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "other.duckdb")) as connection:
        connection.execute("CREATE TABLE theirs (a INTEGER)")
    with pytest.raises(SchemaError, match="no RAGSieve warehouse"):
        Warehouse.open(tmp_path / "other.duckdb", command="pytest")
    with duckdb.connect(str(tmp_path / "other.duckdb")) as connection:
        assert connection.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("theirs",)]


def test_another_program_with_the_file_open_is_named(tmp_path: Path, python) -> None:
    path = tmp_path / "w.duckdb"
    Warehouse.open(path, command="pytest").close()
    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.readline()"
    other = python(code, path)
    assert other.stdout.readline() == "open\n"
    with pytest.raises(BusyError, match=str(other.pid)):
        Warehouse.open(path, command="pytest")
    other.communicate("\n")
    Warehouse.open(path, command="pytest").close()


AS_NOBODY = """
import os, sys
import duckdb, encodings.idna, socket
from ragsieve_core.errors import RagsieveError
from warehouse.database import Warehouse
# Imported before the change of user: that user may not be able to read the interpreter's own files.
duckdb.connect().execute("SELECT 1")
socket.gethostname()
os.setgid(65534); os.setuid(65534)
try:
    Warehouse.open(sys.argv[1], command="x")
    print("opened")
except RagsieveError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="needs to change to a user without permissions")
@pytest.mark.parametrize("case", ["folder", "file", "both"])
def test_no_permission_is_said_and_harms_nothing(python, case: str) -> None:
    # tmp_path lies in a folder that only this user may enter.
    folder = Path(tempfile.mkdtemp(prefix="ragsieve-"))
    folder.chmod(0o755)
    try:
        path = folder / "w.duckdb"
        if case != "folder":
            with Warehouse.open(path, command="pytest"):
                pass
            before = path.read_bytes()
            path.chmod(0o600)
            for name in ("w.duckdb.d", "w.duckdb.lock"):
                (folder / name).chmod(0o777)
            if case == "file":
                folder.chmod(0o777)
        output, _ = python(AS_NOBODY, path).communicate(timeout=60)
        assert output.startswith("StorageError"), output
        assert "do: " in output
        if case != "folder":
            assert path.read_bytes() == before
    finally:
        shutil.rmtree(folder)


FULL_DISK = """
import resource, signal, sys
from ragsieve_core.errors import RagsieveError
from warehouse.database import Warehouse
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
wh = Warehouse.open(sys.argv[1], command="x")
with wh.transaction() as cursor:
    cursor.execute("INSERT INTO warehouse_facts VALUES ('kept', '1')")
wh.checkpoint()
# No file of this process may grow past 4 MiB: what a full disk looks like, without filling one.
resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, resource.RLIM_INFINITY))
try:
    with wh.transaction() as cursor:
        cursor.execute("INSERT INTO warehouse_facts SELECT 'r'||i, repeat(sha256(i::TEXT), 99) FROM range(9999) t(i)")
    print("stored")
except RagsieveError as error:
    print(type(error).__name__, error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
try:
    with wh.transaction() as cursor:
        cursor.execute("INSERT INTO warehouse_facts VALUES ('after', '1')")
    print("acknowledged")
except RagsieveError as error:
    print("refused", error)
"""


def test_a_full_disk_is_said_and_undone(tmp_path: Path, python) -> None:
    output, _ = python(FULL_DISK, tmp_path / "w.duckdb").communicate(timeout=120)
    assert output.startswith("StorageError"), output
    assert "free some space" in output
    with Warehouse.open(tmp_path / "w.duckdb", command="pytest") as wh:
        names = [row[0] for row in wh.cursor().execute("SELECT name FROM warehouse_facts ORDER BY name").fetchall()]
    assert names == (["after", "kept"] if "acknowledged" in output else ["kept"])


def test_errors_are_input_errors() -> None:
    assert issubclass(StorageError, InputError)
    assert issubclass(SchemaError, InputError)
