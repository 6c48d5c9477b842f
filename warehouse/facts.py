"""Facts of the file itself, written once: its id and the key under which query texts are hashed."""

from __future__ import annotations

import hashlib
import hmac
import secrets

import duckdb

from warehouse import sql
from warehouse.database import Warehouse
from warehouse.ids import new_id


def ensure_fact(cursor: duckdb.DuckDBPyConnection, name: str) -> str:
    """The fact's value, made on first use within the caller's write transaction."""
    known = sql.first(cursor, "SELECT value FROM warehouse_facts WHERE name = ?", [name])
    if known is not None:
        return str(known[0])
    value = new_id("warehouse") if name == "warehouse_id" else secrets.token_hex(32)
    cursor.execute("INSERT INTO warehouse_facts VALUES (?, ?)", [name, value]).complete()
    return value


def fact(wh: Warehouse, name: str) -> str:
    """The fact's value, read without the write lock where it exists."""
    with wh.reading() as cursor:
        known = sql.first(cursor, "SELECT value FROM warehouse_facts WHERE name = ?", [name])
    return str(known[0]) if known else wh.run_transaction(lambda inner: ensure_fact(inner, name))


def query_hash(key: str, text: str) -> str:
    """HMAC-SHA-256 (hex) of a query text: equal queries are recognised, short ones not guessed without the key."""
    return hmac.new(bytes.fromhex(key), text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
