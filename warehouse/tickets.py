"""The mark that a segment was taken in, written in the transaction of what it brought: exactly once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import duckdb

from warehouse.ids import canonical_json, utc_now


@dataclass(frozen=True, slots=True)
class Ticket:
    """Which segment a write comes from; ``route`` is inbox or http."""

    segment_id: str
    kind: str
    route: str
    size: int

    def stamp(self, cursor: duckdb.DuckDBPyConnection, actor: str, state: str, receipt: Mapping[str, object]) -> None:
        """Record the segment as taken or refused within the caller's write transaction.

        A segment that was refused before may be taken now: what it lacked can have come since.
        """
        cursor.execute("DELETE FROM inbox_segments WHERE segment_id = ? AND state = 'refused'", [self.segment_id])
        cursor.execute(
            "INSERT INTO inbox_segments VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                self.segment_id,
                self.kind,
                self.route,
                actor,
                self.size,
                state,
                canonical_json(dict(receipt)),
                utc_now(),
            ],
        ).complete()
