"""Documents that enter or leave the quarantine with one act, and the version that this makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
import pyarrow as pa

from warehouse import quarantine_store, sql
from warehouse.alert_rows import Row
from warehouse.quarantine_store import Cause, Change, Key


class MemberChanges:
    """Collects what enters and leaves; :meth:`store` makes one version of it all.

    Attributes
    ----------
    changes : what was asked for, by document.
    """

    def __init__(self) -> None:
        self.changes: dict[Key, Change] = {}
        self._entering: dict[Key, dict[str, Any]] = {}

    def enter(self, row: Row, proposer: str, note: str) -> None:
        """Let an alert's document in, unless an alert before did."""
        key = (row["corpus_id"], row["document_id"])
        if key not in self.changes:
            self.changes[key] = Change(key, row["tenant"], "added", "quarantine", proposer, row["alert_id"], "", note)
            self._entering[key] = quarantine_store.member_of(row)

    def leave(self, row: Row, cause: Cause, proposer: str, note: str) -> None:
        """Let an alert's document out."""
        key = (row["corpus_id"], row["document_id"])
        self.changes[key] = Change(key, row["tenant"], "removed", cause, proposer, row["alert_id"], "", note)

    def store(self, cursor: duckdb.DuckDBPyConnection, note: str) -> str | None:
        """Append the version that differs from the one in force by these changes; None where nothing differs."""
        parent = quarantine_store.current(cursor)
        held = quarantine_store.members(cursor, parent)
        before = set(held)
        for key, change in self.changes.items():
            if change.change == "added":
                held.setdefault(key, self._entering[key])
            else:
                held.pop(key, None)
        changes = [self.changes[key] for key in sorted(set(held) ^ before)]
        if not changes:
            return None
        author = changes[0].proposer
        return quarantine_store.store(cursor, held, changes, parent=parent, restores=None, author=author, note=note)


def alerts_of(cursor: duckdb.DuckDBPyConnection, changes: Sequence[Change]) -> list[str]:
    """Ids of the alerts that changes of documents concern."""
    concerned = {
        "corpus_id": pa.array([change.key[0] for change in changes], pa.string()),
        "document_id": pa.array([change.key[1] for change in changes], pa.string()),
        "alert_id": pa.array([change.alert_id for change in changes], pa.string()),
    }
    cursor.register("concerned", pa.table(concerned))
    try:
        return [row["alert_id"] for row in sql.rows(cursor, "document_alerts")]
    finally:
        cursor.unregister("concerned")
