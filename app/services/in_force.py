"""What applies to one ranking right now, read from the warehouse."""

from __future__ import annotations

from collections.abc import Sequence

from ragsieve_core.serial import InForce
from warehouse.alerts import QueueFilter, queue_page
from warehouse.database import Warehouse
from warehouse.principal import Principal
from warehouse.scans import list_scans, scan_neighbors

UNDECIDED = ("open", "claimed", "waiting")
PAGE = 500


def open_rsg_alerts(wh: Warehouse, corpus: str, *, principal: Principal) -> frozenset[str]:
    """Ids of documents with an undecided RSG alert."""
    wanted = QueueFilter(statuses=UNDECIDED, detectors=("rsg",), corpus=corpus)
    found: set[str] = set()
    offset = 0
    while True:
        page = queue_page(wh, principal=principal, filters=wanted, sort="opened_at", limit=PAGE, offset=offset)
        found |= {str(row["document_id"]) for row in page.rows}
        offset += PAGE
        if offset >= page.total:
            return frozenset(found)


def retained_neighbors(
    wh: Warehouse, corpus: str, version_ids: Sequence[int], *, principal: Principal
) -> dict[int, frozenset[str]]:
    """Version id -> ids of its retained neighbours in the last finished RSG scan of the corpus; empty without one."""
    scans = list_scans(wh, principal=principal, corpus=corpus)
    last = next((row for row in scans if row["detector"] == "rsg" and row["status"] == "finished"), None)
    if last is None or not version_ids:
        return {}
    found: dict[int, set[str]] = {}
    for row in scan_neighbors(wh, str(last["scan_id"]), list(version_ids), principal=principal):
        if row["retained"]:
            found.setdefault(int(row["version_id"]), set()).add(str(row["document_id"]))
    return {version: frozenset(ids) for version, ids in found.items()}


def in_force(
    wh: Warehouse, corpus: str, versions: dict[str, int], *, principal: Principal, alerted: frozenset[str]
) -> InForce:
    """What applies to a ranking.

    Parameters
    ----------
    versions : document id -> version id of the ranked documents that the warehouse knows.
    alerted : from :func:`open_rsg_alerts`, read once for many rankings.
    """
    near = retained_neighbors(wh, corpus, list(versions.values()), principal=principal)
    return InForce(
        alerted=alerted,
        retained_neighbors={name: near[version] for name, version in versions.items() if version in near},
    )
