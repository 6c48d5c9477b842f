"""The allow-list: a text that somebody kept or released does not alert again for the same rule, for a while."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, NamedTuple

import duckdb
import pyarrow as pa

from warehouse import sql
from warehouse.ids import new_id
from warehouse.principal import Principal


class Kept(NamedTuple):
    """Why an alert's text may stay, and until when."""

    cause: Literal["kept", "released"]
    reason: str
    note: str
    until: datetime


_ALLOWED = pa.schema(
    [
        *(
            (name, pa.string())
            for name in (
                "entry_id", "alert_id", "corpus_id", "document_id", "content_hash", "detector", "rule_key",
            )
        ),
        ("score", pa.float64()),
        ("campaign_size", pa.int32()),
        *((name, pa.string()) for name in ("cause", "reason", "note")),
        ("expires_at", pa.timestamp("us")),
        ("quarantine_id", pa.string()),
        ("acted_at", pa.timestamp("us")),
        ("actor", pa.string()),
    ]
)  # fmt: skip


def allow(
    cursor: duckdb.DuckDBPyConnection,
    kept: Mapping[str, Kept],
    quarantine_id: str | None,
    principal: Principal,
    now: datetime,
) -> None:
    """Append one entry for every alert in ``kept`` and every rule that flagged its text.

    Parameters
    ----------
    quarantine_id : the version that released them.
    """
    if not kept:
        return
    rows = []
    for found in sql.rows(cursor, "alert_rule_keys", alert_ids=list(kept)):
        entry = kept[found["alert_id"]]
        told = {"cause": entry.cause, "reason": entry.reason, "note": entry.note, "expires_at": entry.until}
        released = quarantine_id if entry.cause == "released" else None
        who = {"entry_id": new_id("allow"), "quarantine_id": released, "acted_at": now, "actor": principal.identity}
        rows.append(found | told | who)
    sql.insert(cursor, "allow_list", pa.Table.from_pylist(rows, schema=_ALLOWED))
