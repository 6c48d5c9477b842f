"""What the overview says of work, reach, drift, the gate and the scans; the screen and the command show these rows."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ragsieve_core.evaluate.drift import LEAST_VALUES, drift
from warehouse import sql
from warehouse.database import Warehouse
from warehouse.ids import utc_now
from warehouse.principal import Principal

PERIOD_DAYS: Final = 30
WEEKS: Final = 12
DRIFT_DAYS: Final = 7
TERMS: Final = ("density", "e_anchor", "e_script", "e_surprisal", "e_alignment")


def overview_figures(wh: Warehouse, *, principal: Principal, now: datetime | None = None) -> dict[str, Any]:
    """Figures over what the caller may see.

    Returns
    -------
    ``ages`` (waiting alerts by detector and age), ``rates`` (alerts per scan, per 1,000 new documents and per 1,000
    queries of the last :data:`PERIOD_DAYS` days), ``decisions`` (by week and verdict, :data:`WEEKS` weeks), ``reach``
    (of waiting alerts), ``drift`` (by corpus and term; delta in [-1, 1], above 0 where the values rose), ``gate`` (by
    source of events: rates in [0, 1], latency in ms) and ``health`` (of scans). The columns are those of the files
    ``queries/overview_*.sql``.

    Parameters
    ----------
    now : end of every period, UTC without zone; the present by default.
    """
    at = now or utc_now()
    since = at - timedelta(days=PERIOD_DAYS)
    monday = (at - timedelta(days=at.weekday(), weeks=WEEKS - 1)).replace(hour=0, minute=0, second=0, microsecond=0)
    scope = principal.scope()
    with wh.reading() as cursor:
        found: dict[str, Any] = {
            "days": PERIOD_DAYS,
            "ages": sql.rows(cursor, "overview_ages", now=at, **scope),
            "rates": sql.row(cursor, "overview_rates", since=since, **scope) or {},
            "decisions": sql.rows(cursor, "overview_decisions", since=monday, **scope),
            "reach": sql.row(cursor, "overview_reach", **scope) or {},
            "gate": sql.rows(cursor, "overview_gate", since=since, **scope),
            "health": sql.rows(cursor, "overview_health", since=since, now=at, **scope),
        }
        values = [
            sql.table(cursor, "overview_densities", **scope),
            sql.table(cursor, "overview_terms", days=DRIFT_DAYS, **scope),
        ]
    return found | {"drift": _drift(values)}


def _drift(tables: list[pa.Table]) -> list[dict[str, Any]]:
    """One row per corpus and term, by corpus, then as in :data:`TERMS`."""
    sides: dict[tuple[str, str], dict[str, NDArray[np.float64]]] = {}
    for table in tables:
        names = [table.column(name).to_pylist() for name in ("corpus", "term", "side")]
        for corpus, term, side, values in zip(*names, table.column("values"), strict=True):
            sides.setdefault((corpus, term), {})[side] = values.values.to_numpy(zero_copy_only=False)
    rows = []
    for (corpus, term), held in sorted(sides.items(), key=lambda entry: (entry[0][0], TERMS.index(entry[0][1]))):
        before, now = held.get("before", np.empty(0)), held.get("now", np.empty(0))
        means = {
            "mean_before": float(before.mean()) if before.size else None,
            "mean_now": float(now.mean()) if now.size else None,
        }
        rows.append({"corpus": corpus, "term": term, **asdict(drift(before, now)), **means, "least": LEAST_VALUES})
    return rows
