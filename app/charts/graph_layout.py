"""Places for the neighbour graph: distances that can be read where one document is the centre, a map where many are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Point = tuple[float, float]
Pair = tuple[int, int]

# Two texts of equal vectors would lie on each other
_NEAREST = 0.1


def distance(cosine: float) -> float:
    """Distance of two unit vectors, sqrt(2 (1 - cosine)), kept above a small number; the unit of both layouts."""
    return max(math.sqrt(max(0.0, 2.0 * (1.0 - cosine))), _NEAREST)


def radial(centre: int, cosines: Mapping[int, float], groups: Mapping[int, int]) -> dict[int, Point]:
    """The centre at the origin, every other node at its distance, members of a group side by side.

    Parameters
    ----------
    centre : node in the middle.
    cosines : cosine of every other node with it.
    groups : number of the group of a node; nodes without one come last.
    """
    order = sorted(cosines, key=lambda node: (groups.get(node, len(groups) + 1), -cosines[node], node))
    places = {centre: (0.0, 0.0)}
    for number, node in enumerate(order):
        angle = math.tau * number / max(1, len(order)) + math.pi / 2
        radius = distance(cosines[node])
        places[node] = (radius * math.cos(angle), radius * math.sin(angle))
    return places


def spread(nodes: Sequence[int], cosines: Mapping[Pair, float]) -> dict[int, Point]:
    """A map whose path lengths follow the distances as a plane allows (Kamada and Kawai, 1989); no chance in it."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(sorted(nodes))
    for (one, other), cosine in sorted(cosines.items()):
        graph.add_edge(one, other, distance=distance(cosine))
    if len(nodes) < 2:
        return dict.fromkeys(nodes, (0.0, 0.0))
    lengths = dict(nx.all_pairs_dijkstra_path_length(graph, weight="distance"))
    # Parts without an edge between them stand further apart than any path
    apart = 1.5 * max((max(row.values()) for row in lengths.values()), default=1.0) or 1.0
    full = {one: {other: lengths[one].get(other, apart) for other in graph} for one in graph}
    places = nx.kamada_kawai_layout(graph, dist=full, pos=nx.circular_layout(graph))
    return {int(node): (float(x), float(y)) for node, (x, y) in places.items()}
