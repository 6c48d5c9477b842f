"""Options of the graph: ids as node names, no HTML, every role with a shape of its own."""

from __future__ import annotations

import json
import math

from app.charts.neighbour_graph import ROLES, Edge, Node, Ring, neighbour_graph

HOSTILE = "<img src=x onerror=alert(1)>{b}\u202e"


def test_options_are_plain_json_with_text_tooltips() -> None:
    nodes = [Node(1, HOSTILE, HOSTILE, "subject"), Node(2, "b", "t", "neighbour")]
    made = neighbour_graph(nodes, [Edge(1, 2, 0.9, 0.1, True, False)], {1: (0, 0), 2: (0.1, 0)}, [Ring("floor", 0.2)])
    assert json.loads(json.dumps(made)) == made
    assert made["tooltip"]["renderMode"] == "richText"
    graph, ring = made["series"]
    assert [node["id"] for node in graph["data"]] == ["1", "2"]
    assert graph["links"][0]["source"] == "1"
    label = graph["data"][0]["label"]["formatter"]
    assert "{" not in label
    assert "\u202e" not in json.dumps(made, ensure_ascii=False)
    assert all(math.isclose(math.hypot(*point), 0.2) for point in ring["data"])


def test_every_role_differs_in_more_than_colour() -> None:
    assert len({(symbol, size) for _, symbol, _, size in ROLES.values()}) == len(ROLES)


def test_the_view_holds_every_place() -> None:
    nodes = [Node(1, "a", "", "subject"), Node(2, "b", "", "neighbour")]
    made = neighbour_graph(nodes, [], {1: (0, 0), 2: (0.0, -0.7)})
    assert made["yAxis"]["min"] < -0.7
    assert made["xAxis"]["max"] == -made["xAxis"]["min"]
