"""Alerts opened or fed within a write transaction, the same way from a scan and from events.

An alert's id is derived, under the warehouse's key, from detector, corpus, document and content hash: equal text is
never alerted twice, changed text is. Sightings (reach) are counted for alerts only: all past ones when an alert opens,
new ones as events come.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from warehouse import sql
from warehouse.database import Warehouse
from warehouse.facts import ensure_fact
from warehouse.ids import utc_now
from warehouse.principal import Principal


@dataclass(frozen=True, slots=True)
class Fed:
    """What evidence did: ``alerts`` distinct alerts it belongs to, ``opened`` those that are new."""

    alerts: int
    opened: int


def feed(
    wh: Warehouse,
    cursor: duckdb.DuckDBPyConnection,
    evidence: pa.Table,
    detector: str,
    threshold: float,
    rule: str,
    actor: Principal,
) -> Fed:
    """Open alerts for flagged versions and append the evidence to their histories.

    Parameters
    ----------
    evidence : columns version_id int64, score double, scan_id, event_id (null where it is the other kind), campaign
        (text), campaign_size (int32).
    """
    if evidence.num_rows == 0:
        return Fed(0, 0)
    cursor.register("evidence", evidence)
    try:
        key = ensure_fact(cursor, "query_key")
        sql.run(cursor, "alert_stage", detector=detector, key=key).complete()
    finally:
        cursor.unregister("evidence")
    parameters: dict[str, Any] = {
        "detector": detector,
        "threshold": threshold,
        "rule": rule,
        "actor": actor.identity,
        "now": utc_now(),
    }
    sql.run(cursor, "alert_open", **parameters).complete()
    sql.run(cursor, "alert_evidence", **parameters, first_seq=wh.history_numbers()).complete()
    sql.run(cursor, "alert_past_reach", **parameters, first_seq=wh.history_numbers()).complete()
    counted = sql.first(
        cursor, "SELECT count(DISTINCT alert_id), count(DISTINCT alert_id) FILTER (WHERE is_new) FROM fed"
    )
    return Fed(int(counted[0]), int(counted[1])) if counted else Fed(0, 0)
