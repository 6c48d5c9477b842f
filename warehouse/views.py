"""Saved views: named filter sets of the queue, kept per person, so that they are there in any browser."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

from ragsieve_core.errors import InputError
from warehouse import sql
from warehouse.database import Warehouse
from warehouse.ids import canonical_json, utc_now
from warehouse.principal import Principal

LONGEST_NAME = 60
LONGEST_QUERY = 4_000
MOST_VIEWS = 50


def save_view(wh: Warehouse, name: str, query: Mapping[str, Sequence[str]], *, principal: Principal) -> None:
    """Keep a set of address parameters under a name; an equal name is replaced.

    Parameters
    ----------
    name : 1 to 60 characters; white space round it is dropped.
    query : parameter -> its values, at most 4,000 characters as JSON.

    Raises
    ------
    InputError
        an empty or too long name, a too long query, or a 51st view.
    """
    principal.require_person("viewer", "save a view")
    name, text = name.strip(), canonical_json({key: list(values) for key, values in query.items()})
    if not name or len(name) > LONGEST_NAME:
        raise InputError("no usable name for a view", where="name", expected=f"1 to {LONGEST_NAME} characters")
    if len(text) > LONGEST_QUERY:
        raise InputError("these filters are too long to keep", where="view", expected=f"at most {LONGEST_QUERY:,}")

    def work(cursor: duckdb.DuckDBPyConnection) -> None:
        names = {row["name"] for row in sql.rows(cursor, "saved_views", actor=principal.identity)}
        if name not in names and len(names) >= MOST_VIEWS:
            raise InputError(f"{MOST_VIEWS} views are kept already", where="view", do="take one away first")
        _append(cursor, principal, name, text)

    wh.run_transaction(work, urgent=True)


def remove_view(wh: Warehouse, name: str, *, principal: Principal) -> None:
    """Take one's own view away. Raises :class:`InputError` where there is none of that name."""
    principal.require_person("viewer", "take a view away")

    def work(cursor: duckdb.DuckDBPyConnection) -> None:
        if name not in {row["name"] for row in sql.rows(cursor, "saved_views", actor=principal.identity)}:
            raise InputError(f"no view {name!r}", where="view", do="reload the page")
        _append(cursor, principal, name, None)

    wh.run_transaction(work, urgent=True)


def list_views(wh: Warehouse, *, principal: Principal) -> list[dict[str, Any]]:
    """One's own views by name: name, query (parameter -> values), acted_at."""
    with wh.reading() as cursor:
        rows = sql.rows(cursor, "saved_views", actor=principal.identity)
    return [row | {"query": json.loads(row["query"])} for row in rows]


def _append(cursor: duckdb.DuckDBPyConnection, principal: Principal, name: str, query: str | None) -> None:
    cursor.execute(
        "INSERT INTO saved_views SELECT coalesce(max(seq), 0) + 1, ?, ?, ?, ? FROM saved_views",
        [principal.identity, name, query, utc_now()],
    ).complete()
