"""The documents round an alert, or round all alerts of its campaign, as nodes and edges with their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.charts.neighbour_graph import Edge, Node
from warehouse.alerts import AlertDetail, QueueFilter, queue_page
from warehouse.database import Warehouse
from warehouse.principal import Principal
from warehouse.scans import scan_neighbors

# A larger campaign is cut to its most severe members, and the page says so
MOST_MEMBERS = 40


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What the graph and its table show.

    Attributes
    ----------
    nodes : subject or members first.
    edges : one per pair, whichever side named the other.
    rows : version id -> title, source, contributor, score, flagged, floor, alert id (empty where it has none).
    groups : version id -> number of its connected group over mutual retained edges.
    members, members_total : alerts drawn and alerts there are.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    rows: Mapping[int, Mapping[str, Any]]
    groups: Mapping[int, int]
    members: int
    members_total: int


def around_document(wh: Warehouse, found: AlertDetail, *, principal: Principal) -> Neighbourhood:
    """One alert with its nearest neighbours, and what holds between them."""
    subject = int(found.alert["version_id"])
    scan = found.scores[0]
    near = [int(row["neighbor_id"]) for row in found.neighbors]
    between = scan_neighbors(wh, scan["scan_id"], near, principal=principal)
    inside = {subject, *near}
    listed = [*found.neighbors, *(row for row in between if int(row["neighbor_id"]) in inside)]
    alerts = {subject: found.alert | {"floor": scan["floor"]}}
    return _made(listed, alerts, {subject: "subject"}, 1, 1)


def around_campaign(wh: Warehouse, found: AlertDetail, *, principal: Principal, context: bool) -> Neighbourhood:
    """All alerts of the campaign; with ``context`` also the documents next to them."""
    page = queue_page(
        wh,
        principal=principal,
        filters=QueueFilter(campaign=found.alert["campaign"], detectors=("rsg",)),
        limit=MOST_MEMBERS,
    )
    alerts = {int(row["version_id"]): row for row in page.rows}
    listed = scan_neighbors(wh, found.scores[0]["scan_id"], list(alerts), principal=principal)
    if not context:
        listed = [row for row in listed if int(row["neighbor_id"]) in alerts]
    subject = int(found.alert["version_id"])
    roles = dict.fromkeys(alerts, "member") | {subject: "subject"}
    return _made(listed, {subject: found.alert, **alerts}, roles, len(alerts), page.total)


def _made(
    listed: Sequence[Mapping[str, Any]],
    alerts: Mapping[int, Mapping[str, Any]],
    roles: Mapping[int, str],
    members: int,
    total: int,
) -> Neighbourhood:
    rows: dict[int, Mapping[str, Any]] = {version: dict(row) | {"flagged": True} for version, row in alerts.items()}
    for row in listed:
        version = int(row["neighbor_id"])
        rows[version] = dict(row) | dict(rows.get(version, {})) | {"floor": row["floor"]}
    nodes = tuple(
        Node(version, row["document_id"], row.get("title") or "", roles.get(version) or _role(row))
        for version, row in sorted(rows.items(), key=lambda item: (item[0] not in roles, item[0]))
    )
    edges = _edges(listed)
    return Neighbourhood(nodes, edges, rows, _groups(edges), members, total)


def _role(row: Mapping[str, Any]) -> str:
    return "flagged" if row.get("flagged") else "neighbour"


def _edges(listed: Iterable[Mapping[str, Any]]) -> tuple[Edge, ...]:
    seen: dict[tuple[int, int], Edge] = {}
    for row in listed:
        one, other = sorted((int(row["version_id"]), int(row["neighbor_id"])))
        before = seen.get((one, other))
        retained = bool(row["retained"])
        seen[one, other] = Edge(
            one,
            other,
            float(row["cosine"]),
            float(row["jaccard"]),
            retained or (before is not None and before.retained),
            before is not None and before.retained and retained,
        )
    return tuple(edge for _, edge in sorted(seen.items()))


def _groups(edges: Sequence[Edge]) -> dict[int, int]:
    joined: dict[int, set[int]] = {}
    for edge in edges:
        if edge.mutual:
            joined.setdefault(edge.one, set()).add(edge.other)
            joined.setdefault(edge.other, set()).add(edge.one)
    numbers: dict[int, int] = {}
    for start in sorted(joined):
        if start in numbers:
            continue
        number, reach = len(set(numbers.values())) + 1, [start]
        while reach:
            node = reach.pop()
            if node not in numbers:
                numbers[node] = number
                reach.extend(joined[node])
    return numbers
