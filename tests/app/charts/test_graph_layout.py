"""Places of the neighbour graph: radii that are distances, and a map that keeps alike documents together."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.charts.graph_layout import distance, radial, spread


@given(st.dictionaries(st.integers(1, 40), st.floats(-1, 0.9), min_size=1, max_size=20))
def test_radius_is_the_distance_of_the_vectors(cosines: dict[int, float]) -> None:
    places = radial(0, cosines, {})
    assert places[0] == (0.0, 0.0)
    for node, cosine in cosines.items():
        # |a - b|^2 = |a|^2 + |b|^2 - 2 a.b for vectors of length one
        assert math.hypot(*places[node]) ** 2 == pytest.approx(2 - 2 * cosine)


def test_equal_vectors_do_not_lie_on_each_other() -> None:
    places = radial(0, {1: 1.0, 2: 1.0}, {})
    assert len(set(places.values())) == 3


def test_members_of_a_group_stand_side_by_side() -> None:
    cosines = dict.fromkeys(range(1, 7), 0.5)
    places = radial(0, cosines, {1: 1, 4: 1, 6: 1})
    step = math.dist(places[1], places[4])
    assert math.dist(places[4], places[6]) == pytest.approx(step)
    # Six places on a circle of radius 1: neighbours stand 1 apart
    assert step == pytest.approx(1.0)


def test_the_map_keeps_two_tight_groups_apart() -> None:
    near = {(1, 2): 0.95, (1, 3): 0.95, (2, 3): 0.95, (4, 5): 0.95, (4, 6): 0.95, (5, 6): 0.95, (3, 4): 0.2}
    places = spread([1, 2, 3, 4, 5, 6], near)
    inside = math.dist(places[1], places[2])
    across = math.dist(places[1], places[5])
    assert across > 2 * inside
    assert spread([1, 2, 3, 4, 5, 6], near) == places


def test_the_map_of_nothing_and_of_loose_nodes() -> None:
    assert spread([], {}) == {}
    assert spread([7], {}) == {7: (0.0, 0.0)}
    assert len(set(spread([1, 2, 3], {}).values())) == 3


def test_distance_is_never_zero() -> None:
    assert distance(0.5) == 1.0
    assert distance(1.0) > 0
