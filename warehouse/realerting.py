"""Sticky keeps and releases: a text that was looked at alerts again only where its evidence changed, or time ran out.

Changed content is another text and so another alert. For unchanged content, evidence is new where its detector version
(preset and key over the configuration) is not on the allow-list, its entry ran out, the score rose by more than the
policy's margin above the highest seen then, or its campaign gained members.
"""

from __future__ import annotations

from typing import Any

from ragsieve_core.review.workflow import State
from warehouse import sql
from warehouse.acting import Acting, act
from warehouse.alert_rows import rows_of
from warehouse.database import Warehouse
from warehouse.desk_policy import policy_of
from warehouse.ids import utc_now
from warehouse.principal import Principal


def reopen_changed(wh: Warehouse, *, principal: Principal) -> int:
    """Reopen kept and released alerts whose evidence changed; returns how many. Safe to repeat.

    Runs after scans and events are stored, in a transaction of its own: the state of an alert changes in the urgent
    lane alone.
    """
    with wh.reading() as cursor:
        if not _due(cursor, wh):
            return 0

    def work(acting: Acting) -> int:
        found = _due(acting.cursor, wh)
        why = {row["alert_id"]: row for row in found}
        for row in rows_of(acting.cursor, list(why)):
            told = {name: why[row["alert_id"]][name] for name in ("rule_key", "score", "cause")}
            acting.step(row, "realerted", State(), **told)
        return len(found)

    return act(wh, principal, work, cause="realerted")[0]


def _due(cursor: Any, wh: Warehouse) -> list[dict[str, Any]]:
    policy = policy_of(cursor)
    return sql.rows(cursor, "realert_due", now=utc_now(), margin=policy.realert_margin, members=policy.realert_members)


def allow_list(wh: Warehouse, *, principal: Principal, alert: str = "") -> list[dict[str, Any]]:
    """Entries of the allow-list, latest first, with ``active``; of one alert, or of all the caller may see."""
    with wh.reading() as cursor:
        return sql.rows(cursor, "allow_list", alert_id=alert, now=utc_now(), **principal.scope())
