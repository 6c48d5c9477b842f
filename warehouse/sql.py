"""Static SQL in files: ``queries/<name>.sql``, each with a header comment (grain, order, parameters).

Values go in by named parameter only. The one thing that is not a value, a sort column, replaces ``{order_by}`` and
comes from a whitelist beside the query's caller.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

import duckdb
import pyarrow as pa

_PARAMETER = re.compile(r"\$([a-z_][a-z0-9_]*)")
_COMMENT = re.compile(r"--[^\n]*")


@cache
def load(name: str) -> tuple[str, frozenset[str]]:
    """Text of ``queries/<name>.sql`` and the names of its parameters."""
    text = resources.files("warehouse").joinpath("queries", f"{name}.sql").read_text(encoding="utf-8")
    return text, frozenset(_PARAMETER.findall(_COMMENT.sub("", text)))


def run(
    cursor: duckdb.DuckDBPyConnection, name: str, *, order_by: str = "", **parameters: object
) -> duckdb.DuckDBPyConnection:
    """Execute a stored query; parameters it does not name are left out, one that it names and is not given raises."""
    text, names = load(name)
    if order_by:
        text = text.replace("{order_by}", order_by)
    return cursor.execute(text, {key: parameters[key] for key in names})


def first(cursor: duckdb.DuckDBPyConnection, text: str, parameters: Sequence[object] = ()) -> tuple[Any, ...] | None:
    """First row of a short query, read to its end: an unfinished result would block the next one on the cursor."""
    found = cursor.execute(text, list(parameters)).fetchall()
    return found[0] if found else None


def rows(
    cursor: duckdb.DuckDBPyConnection, name: str, *, order_by: str = "", **parameters: object
) -> list[dict[str, Any]]:
    """Rows of a stored query as dicts by column name."""
    result = run(cursor, name, order_by=order_by, **parameters)
    columns = [column[0] for column in result.description]
    return [dict(zip(columns, row, strict=True)) for row in result.fetchall()]


def row(cursor: duckdb.DuckDBPyConnection, name: str, **parameters: object) -> dict[str, Any] | None:
    """First row of a stored query, or ``None``."""
    found = rows(cursor, name, order_by="", **parameters)
    return found[0] if found else None


def table(cursor: duckdb.DuckDBPyConnection, name: str, *, order_by: str = "", **parameters: object) -> pa.Table:
    """Whole result of a stored query as an Arrow table, read to its end."""
    text, names = load(name)
    if order_by:
        text = text.replace("{order_by}", order_by)
    return cursor.sql(text, params={key: parameters[key] for key in names}).to_arrow_table()


def insert(cursor: duckdb.DuckDBPyConnection, target: str, data: pa.Table) -> int:
    """Append an Arrow table to ``target`` by column name; returns the rows appended."""
    if data.num_rows == 0:
        return 0
    cursor.register("incoming", data)
    try:
        cursor.execute(f"INSERT INTO {target} BY NAME SELECT * FROM incoming")
        cursor.complete()
    finally:
        cursor.unregister("incoming")
    return int(data.num_rows)
