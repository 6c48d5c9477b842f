"""docs/schema.md from the comments on tables and columns: ``python -m warehouse.schema_doc [--check]``."""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb

from warehouse import migrate

TARGET = Path("docs/schema.md")
_HEAD = """# Schema of the warehouse

Generated from the comments in `warehouse/migrations/*.sql` by `python -m warehouse.schema_doc`; do not edit.
Times are UTC. JSON stands in text columns. Schema {number}.
"""


def build() -> str:
    """The page's text, from a database in memory with every migration applied.

    Raises
    ------
    ValueError
        a table, view or table column without a comment.
    """
    connection = duckdb.connect(":memory:")
    try:
        migrations = migrate.shipped()
        for migration in migrations:
            migrate.apply(connection, migration)
        relations = connection.execute(
            "SELECT table_name, comment, 'table' FROM duckdb_tables() WHERE NOT internal AND NOT temporary "
            "UNION ALL SELECT view_name, comment, 'view' FROM duckdb_views() WHERE NOT internal ORDER BY 3, 1"
        ).fetchall()
        columns = connection.execute(
            "SELECT table_name, column_name, data_type, is_nullable, comment FROM duckdb_columns() "
            "WHERE NOT internal ORDER BY table_name, column_index"
        ).fetchall()
    finally:
        connection.close()
    parts = [_HEAD.format(number=len(migrations))]
    for name, comment, kind in relations:
        if not comment:
            raise ValueError(f"{kind} {name} has no comment")
        parts.append(f"\n## {name}\n\n{'View. ' if kind == 'view' else ''}{comment}\n")
        parts.append("\n| column | type | null | meaning |\n|---|---|---|---|\n")
        for table, column, data_type, nullable, meaning in columns:
            if table != name:
                continue
            if not meaning and kind == "table":
                raise ValueError(f"column {name}.{column} has no comment")
            null = "" if kind == "view" else "yes" if nullable else "no"
            text = (meaning or "As in its table.").replace("|", "\\|")
            parts.append(f"| `{column}` | {data_type} | {null} | {text} |\n")
    return "".join(parts)


def main(arguments: list[str]) -> int:
    """Write the page, or with ``--check`` say whether it is current (exit 1 if not)."""
    text = build()
    if "--check" in arguments:
        current = TARGET.read_text(encoding="utf-8") if TARGET.exists() else ""
        if current != text:
            print(f"{TARGET} is out of date: run python -m warehouse.schema_doc", file=sys.stderr)
            return 1
        return 0
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
