"""Migrations: whole or not at all, never backwards, never over another wording."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from warehouse import migrate
from warehouse.consistency import broken_rules
from warehouse.database import Warehouse
from warehouse.errors import SchemaError
from warehouse.migrate import Migration

FIXTURES = Path(__file__).parent / "fixtures"


def _with_extra(monkeypatch: pytest.MonkeyPatch, sql: str, name: str = "extra") -> int:
    known = migrate.shipped()
    more = (*known, Migration(len(known) + 1, name, sql))
    monkeypatch.setattr(migrate, "shipped", lambda: more)
    return len(more)


def test_ledger_holds_every_migration_once(wh: Warehouse) -> None:
    assert migrate.applied(wh.cursor()) == [(m.number, m.name, m.sha256) for m in migrate.shipped()]


def test_a_second_open_applies_nothing(tmp_path: Path) -> None:
    for _ in range(2):
        with Warehouse.open(tmp_path / "w.duckdb", command="pytest") as wh:
            times = wh.cursor().execute("SELECT applied_at FROM schema_migrations ORDER BY 1").fetchall()
    assert len(times) == len(migrate.shipped())
    assert list((tmp_path / "w.duckdb.d" / "backups").iterdir()) == []


def test_an_older_file_is_backed_up_and_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "w.duckdb"
    with Warehouse.open(path, command="pytest") as wh, wh.transaction() as cursor:
        cursor.execute("INSERT INTO warehouse_facts VALUES ('kept', '1')")
    number = _with_extra(monkeypatch, "CREATE TABLE extra (a INTEGER);")
    with Warehouse.open(path, command="pytest") as wh:
        assert wh.cursor().execute("SELECT count(*) FROM extra").fetchall() == [(0,)]
        assert migrate.applied(wh.cursor())[-1][:2] == (number, "extra")
    (backup,) = (tmp_path / "w.duckdb.d" / "backups").iterdir()
    with duckdb.connect(str(backup), read_only=True) as old:
        assert old.execute("SELECT name FROM warehouse_facts").fetchall() == [("kept",)]
        assert len(migrate.applied(old)) == number - 1


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "w.duckdb"
    with Warehouse.open(path, command="pytest"):
        pass
    with monkeypatch.context() as patch:
        number = _with_extra(patch, "CREATE TABLE extra (a INTEGER); SELECT error('stop');")
        with pytest.raises(duckdb.Error, match="stop"):
            Warehouse.open(path, command="pytest")
    with Warehouse.open(path, command="pytest") as wh:
        assert len(migrate.applied(wh.cursor())) == number - 1
        assert wh.cursor().execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'extra'").fetchall() == [
            (0,)
        ]


KILLED = """
import os, signal, sys
import warehouse.migrate as migrate
from warehouse.database import Warehouse
known = migrate.shipped()
extra = migrate.Migration(len(known) + 1, "extra", "CREATE TABLE extra AS SELECT * FROM range(100000);")
migrate.shipped = lambda: (*known, extra)
apply = migrate.apply
def killed(connection, migration):
    if migration is extra:
        connection.execute("BEGIN"); connection.execute(migration.sql)
        os.kill(os.getpid(), signal.SIGKILL)
    apply(connection, migration)
migrate.apply = killed
Warehouse.open(sys.argv[1], command="x")
"""


def test_a_kill_inside_a_migration_leaves_the_older_schema(tmp_path: Path, python) -> None:
    path = tmp_path / "w.duckdb"
    with Warehouse.open(path, command="pytest"):
        pass
    process = python(KILLED, path)
    process.communicate(timeout=60)
    assert process.returncode == -9
    with Warehouse.open(path, command="pytest") as wh:
        assert len(migrate.applied(wh.cursor())) == len(migrate.shipped())
        assert wh.cursor().execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'extra'").fetchall() == [
            (0,)
        ]


def test_a_newer_file_is_refused_unharmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "w.duckdb"
    with monkeypatch.context() as patch:
        number = _with_extra(patch, "CREATE TABLE extra (a INTEGER);")
        with Warehouse.open(path, command="pytest"):
            pass
    before = path.read_bytes()
    with pytest.raises(SchemaError, match=f"has schema {number}, this version knows {number - 1}"):
        Warehouse.open(path, command="pytest")
    assert path.read_bytes() == before


def test_a_reworded_migration_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "w.duckdb"
    with Warehouse.open(path, command="pytest"):
        pass
    first, *rest = migrate.shipped()
    changed = (Migration(1, first.name, first.sql + "\n-- changed\n"), *rest)
    monkeypatch.setattr(migrate, "shipped", lambda: changed)
    with pytest.raises(SchemaError, match="another wording"):
        Warehouse.open(path, command="pytest")


def test_shipped_migrations_have_headers() -> None:
    for migration in migrate.shipped():
        assert migration.sql.startswith("-- "), migration.name


@pytest.mark.parametrize("number", range(1, len(migrate.shipped())))
def test_every_earlier_version_is_migrated_with_its_rows(tmp_path: Path, number: int) -> None:
    """fixtures/vNNNN.sql holds rows as a file of that schema had them, at least one per table, and a whole chain."""
    path = tmp_path / "old.duckdb"
    with duckdb.connect(str(path)) as old:
        for migration in migrate.shipped()[:number]:
            migrate.apply(old, migration)
        old.execute((FIXTURES / f"v{number:04d}.sql").read_text(encoding="utf-8"))
        tables = [row[0] for row in old.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()]
        before = {name: old.execute(f"SELECT count(*) FROM {name}").fetchall() for name in tables}
    assert all(count != [(0,)] for count in before.values()), "a table without a row proves nothing"
    with Warehouse.open(path, command="pytest") as wh:
        for name in tables:
            # The fixture has no file of what was published: opening publishes it again, with its row of the chain.
            more = int(name in ("publications", "audit_log") and before.get("publications", [(0,)]) != [(0,)])
            if name != "schema_migrations":
                found = wh.cursor().execute(f"SELECT count(*) FROM {name}").fetchall()
                assert found == [(before[name][0][0] + more,)], name
        assert len(migrate.applied(wh.cursor())) == len(migrate.shipped())
        assert broken_rules(wh) == [], "the rules of today, the audit chain among them, hold over the older rows"
    assert len(list((tmp_path / "old.duckdb.d" / "backups").iterdir())) == 1
