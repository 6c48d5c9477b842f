from __future__ import annotations

from pathlib import Path

import duckdb

from warehouse import migrate, schema_doc

PAGE = Path(__file__).parents[2] / "docs" / "schema.md"


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == schema_doc.build(), "run python -m warehouse.schema_doc"


def test_every_table_and_column_stands_in_it() -> None:
    text = PAGE.read_text(encoding="utf-8")
    connection = duckdb.connect(":memory:")
    for migration in migrate.shipped():
        migrate.apply(connection, migration)
    for table, column in connection.execute(
        "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal"
    ).fetchall():
        section = text.split(f"\n## {table}\n")[1].split("\n## ")[0]
        assert f"| `{column}` |" in section, f"{table}.{column}"
