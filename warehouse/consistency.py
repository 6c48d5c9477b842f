"""Rules that hold over the whole file after any crash; for ``ragsieve doctor`` and the kill tests."""

from __future__ import annotations

from warehouse import audit, sql
from warehouse.database import Warehouse
from warehouse.publish import read_pointer


def broken_rules(wh: Warehouse) -> list[str]:
    """What does not hold, in words; empty for a sound warehouse. Reads most tables."""
    with wh.reading() as cursor:
        rules = sql.rows(cursor, "consistency")
        last = sql.first(cursor, "SELECT coalesce(max(number), 0) FROM publications")
    found = [f"{row['rule']}: {row['broken']:,}" for row in rules if row["broken"]]
    report = audit.verify(wh)
    if not report.ok:
        found.append(f"the audit chain: {report.problem}")
    number = int(last[0]) if last else 0
    pointer = read_pointer(wh.side.folder("published") / "current")
    if number and (pointer is None or pointer["number"] != number):
        found.append(f"what other processes read is not publication {number}, the last one made")
    return found
