"""Encoders whose vectors the warehouse holds."""

from __future__ import annotations

from typing import Any

import duckdb

from ragsieve_core.errors import InputError
from warehouse import audit, sql
from warehouse.database import Warehouse
from warehouse.ids import canonical_json, utc_now
from warehouse.principal import Principal
from warehouse.records import EncoderSpec


def ensure(cursor: duckdb.DuckDBPyConnection, encoder: EncoderSpec, principal: Principal) -> None:
    """Register an encoder within the caller's write transaction; a known key must have the same dimension.

    Raises
    ------
    InputError
        the key is known with another dimension.
    """
    known = sql.first(cursor, "SELECT dimension FROM encoders WHERE encoder_key = ?", [encoder.key])
    if known is None:
        cursor.execute(
            "INSERT INTO encoders VALUES (?, ?, ?, ?, ?, ?)",
            [
                encoder.key,
                encoder.name,
                encoder.dimension,
                canonical_json(dict(encoder.parameters)),
                utc_now(),
                principal.identity,
            ],
        )
        audit.append(cursor, principal.identity, "encoder_registered", encoder.key, {"dimension": encoder.dimension})
    elif known[0] != encoder.dimension:
        raise InputError(
            f"encoder {encoder.key!r} has vectors of length {known[0]}, not {encoder.dimension}",
            where="encoder",
            expected="a key that names every parameter",
            do="give these vectors another --encoder key",
        )


def list_encoders(wh: Warehouse, *, principal: Principal) -> list[dict[str, Any]]:
    """Encoders by key with the number of vectors held of each (over what the caller may see)."""
    with wh.reading() as cursor:
        return sql.rows(cursor, "encoders", **principal.scope())
