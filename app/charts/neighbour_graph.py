"""Options of the neighbour graph for Apache ECharts: documents as nodes, nearest-neighbour relations as edges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.charts.graph_layout import Point
from app.charts.palette import BLUE, GREEN, GREY, ORANGE, VERMILLION, rgba
from app.components.labels import plain_label

# role -> (shown name, symbol, colour, size): shape and size differ too, so that colour is never alone
ROLES: Final = {
    "subject": ("this document", "diamond", VERMILLION, 30),
    "member": ("alert of the campaign", "circle", VERMILLION, 24),
    "flagged": ("other flagged document", "rect", ORANGE, 18),
    "neighbour": ("not flagged", "circle", GREY, 13),
}

TOP, BOTTOM, SIDES = 34, 8, 21
_BRACES: Final = str.maketrans("{}", "()")
# kept by both sides, by one, by none
_LINES: Final = ((GREEN, 2.6, "solid"), (BLUE, 1.6, "solid"), (GREY, 0.8, "dotted"))


@dataclass(frozen=True, slots=True)
class Node:
    """A document of the graph; ``role`` is a key of :data:`ROLES`."""

    version_id: int
    document_id: str
    title: str
    role: str


@dataclass(frozen=True, slots=True)
class Edge:
    """A neighbour relation; ``retained`` where one side keeps it as evidence, ``mutual`` where both do."""

    one: int
    other: int
    cosine: float
    jaccard: float
    retained: bool
    mutual: bool


@dataclass(frozen=True, slots=True)
class Ring:
    """A circle round the centre: all documents inside it are nearer than ``radius``."""

    name: str
    radius: float
    dashed: bool = False


def neighbour_graph(
    nodes: Sequence[Node], edges: Sequence[Edge], places: Mapping[int, Point], rings: Sequence[Ring] = ()
) -> dict[str, Any]:
    """ECharts options; node names are version ids, so that a click names a document whatever it is called."""
    reach = max([*(math.hypot(*places[node.version_id]) for node in nodes), *(ring.radius for ring in rings), 0.05])
    side = 1.18 * reach
    axis = {"type": "value", "min": -side, "max": side, "show": False}
    used = [role for role in ROLES if any(node.role == role for node in nodes)]
    return {
        "animation": False,
        # As much at the sides as above and below: on a square a ring is a circle
        "grid": {"left": SIDES, "right": SIDES, "top": TOP, "bottom": BOTTOM, "containLabel": False},
        "xAxis": axis,
        "yAxis": axis,
        "legend": {"top": 0, "left": 0, "data": [ROLES[role][0] for role in used]},
        # Drawn as text: a hostile title never becomes HTML
        "tooltip": {"trigger": "item", "renderMode": "richText"},
        "series": [
            {
                "type": "graph",
                "coordinateSystem": "cartesian2d",
                "layout": "none",
                "selectedMode": "single",
                "select": {"itemStyle": {"borderColor": BLUE, "borderWidth": 4}},
                "emphasis": {"focus": "adjacency"},
                "categories": [
                    {"name": ROLES[role][0], "symbol": ROLES[role][1], "itemStyle": {"color": ROLES[role][2]}}
                    for role in used
                ],
                "data": [_node(node, places[node.version_id], used) for node in nodes],
                "links": [_edge(edge) for edge in edges],
                "z": 3,
            },
            *(_ring(ring) for ring in rings),
        ],
    }


def _node(node: Node, place: Point, used: Sequence[str]) -> dict[str, Any]:
    _, symbol, colour, size = ROLES[node.role]
    # Braces open a style of rich text, whose name would be hidden
    label, title = (
        plain_label(text, most).translate(_BRACES) for text, most in ((node.document_id, 18), (node.title, 40))
    )
    return {
        "id": str(node.version_id),
        "name": f"{label} · {title}",
        "value": list(place),
        "category": used.index(node.role),
        "symbol": symbol,
        "symbolSize": size,
        "itemStyle": {"color": colour if node.role != "neighbour" else rgba(colour, 0.55), "borderColor": colour},
        "label": {
            "show": True,
            "position": "bottom",
            "formatter": label,
            "fontSize": 10,
        },
        "tooltip": {"formatter": "{b}"},
    }


def _edge(edge: Edge) -> dict[str, Any]:
    colour, width, kind = _LINES[0 if edge.mutual else 1 if edge.retained else 2]
    return {
        "source": str(edge.one),
        "target": str(edge.other),
        "lineStyle": {"color": colour, "width": width, "type": kind, "opacity": 0.9 if edge.retained else 0.45},
        "tooltip": {"formatter": f"cosine {edge.cosine:.4f}, Jaccard {edge.jaccard:.3f}"},
    }


def _ring(ring: Ring) -> dict[str, Any]:
    turns = [math.tau * step / 96 for step in range(97)]
    return {
        "type": "line",
        "name": ring.name,
        "data": [[ring.radius * math.cos(turn), ring.radius * math.sin(turn)] for turn in turns],
        "showSymbol": False,
        "silent": True,
        "lineStyle": {"color": rgba(VERMILLION, 0.75), "width": 1.5, "type": "dashed" if ring.dashed else "solid"},
        "endLabel": {"show": True, "formatter": ring.name, "color": VERMILLION, "fontSize": 11, "distance": -2},
        "z": 1,
    }
