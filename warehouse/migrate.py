"""Numbered migrations, each in one transaction with its ledger row.

A file from a newer version is refused, a changed migration that was already applied is refused, and an existing file
is copied to ``backups/`` before anything is changed. A kill between two migrations leaves a whole older schema.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import duckdb

from ragsieve_core import __version__
from warehouse.errors import SchemaError
from warehouse.ids import utc_now

_NAME = re.compile(r"^(\d{4})_([a-z0-9_]+)\.sql$")


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered SQL file; ``sha256`` over its bytes pins what was applied."""

    number: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        """SHA-256 (hex) of the file's text."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def shipped() -> tuple[Migration, ...]:
    """Migrations of this version in order, numbered 1, 2, … without a gap."""
    found = []
    for entry in resources.files("warehouse").joinpath("migrations").iterdir():
        match = _NAME.match(entry.name)
        if match:
            found.append(Migration(int(match[1]), match[2], entry.read_text(encoding="utf-8")))
    found.sort(key=lambda migration: migration.number)
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise SchemaError("the shipped migrations are not numbered 1, 2, …", do="reinstall the product")
    return tuple(found)


def applied(connection: duckdb.DuckDBPyConnection) -> list[tuple[int, str, str]]:
    """Ledger rows (number, name, sha256) in order; empty for a file without a ledger."""
    known = connection.execute(
        "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'schema_migrations' AND NOT internal"
    ).fetchone()
    if known is None or known[0] == 0:
        return []
    return connection.execute("SELECT number, name, sha256 FROM schema_migrations ORDER BY number").fetchall()


def pending(connection: duckdb.DuckDBPyConnection, where: Path, migrations: Sequence[Migration]) -> Sequence[Migration]:
    """Migrations still to apply.

    Raises
    ------
    SchemaError
        the file holds other tables and no ledger, a newer schema, or a ledger that differs from the shipped files.
    """
    ledger = applied(connection)
    if not ledger:
        tables = connection.execute("SELECT count(*) FROM duckdb_tables() WHERE NOT internal").fetchone()
        if tables is not None and tables[0]:
            raise SchemaError(
                "a DuckDB file, but no RAGSieve warehouse: it holds tables and no migration ledger",
                where=str(where),
                do="choose another --warehouse",
            )
        return migrations
    last = ledger[-1][0]
    if last > len(migrations):
        raise SchemaError(
            f"the warehouse has schema {last}, this version knows {len(migrations)}",
            where=str(where),
            expected="a file of this version or an older one",
            do="upgrade the product, or open a backup",
        )
    for (number, name, digest), migration in zip(ledger, migrations, strict=False):
        if (number, name, digest) != (migration.number, migration.name, migration.sha256):
            raise SchemaError(
                f"migration {number:04d} ({name}) was applied in another wording than this version ships",
                where=str(where),
                expected=f"{migration.name} with SHA-256 {migration.sha256[:12]}…, found {digest[:12]}…",
                do="use the version that made the file, or restore a backup",
            )
    return migrations[last:]


def apply(connection: duckdb.DuckDBPyConnection, migration: Migration) -> None:
    """Apply one migration and its ledger row in one transaction."""
    connection.execute("BEGIN TRANSACTION")
    try:
        connection.execute(migration.sql)
        connection.execute(
            "INSERT INTO schema_migrations VALUES (?, ?, ?, ?, ?)",
            [migration.number, migration.name, migration.sha256, utc_now(), __version__],
        )
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
