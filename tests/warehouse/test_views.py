"""Saved views: one's own, the latest of a name counts, refused where they could not be used."""

from __future__ import annotations

import pytest

from ragsieve_core.errors import InputError
from tests.warehouse.desk import BOB, CY
from warehouse.database import Warehouse
from warehouse.principal import Principal
from warehouse.views import LONGEST_NAME, MOST_VIEWS, list_views, remove_view, save_view


def test_a_view_comes_back_and_is_ones_own(wh: Warehouse) -> None:
    save_view(wh, " Copies ", {"kind": ["copies"], "status": ["open", "claimed"]}, principal=CY)
    (view,) = list_views(wh, principal=CY)
    assert (view["name"], view["query"]) == ("Copies", {"kind": ["copies"], "status": ["open", "claimed"]})
    assert list_views(wh, principal=BOB) == []
    with pytest.raises(InputError, match="no view 'Copies'"):
        remove_view(wh, "Copies", principal=BOB)


def test_the_latest_of_a_name_counts_and_a_removed_one_is_gone(wh: Warehouse) -> None:
    for value in ("a", "b"):
        save_view(wh, "v", {"search": [value]}, principal=CY)
    assert [view["query"] for view in list_views(wh, principal=CY)] == [{"search": ["b"]}]
    remove_view(wh, "v", principal=CY)
    assert list_views(wh, principal=CY) == []
    assert wh.cursor().execute("SELECT count(*) FROM saved_views").fetchall() == [(3,)]


@pytest.mark.parametrize("name", ["", "  ", "x" * (LONGEST_NAME + 1)])
def test_names_that_cannot_be_used(wh: Warehouse, name: str) -> None:
    with pytest.raises(InputError, match="no usable name"):
        save_view(wh, name, {}, principal=CY)


def test_limits_and_programs(wh: Warehouse) -> None:
    with pytest.raises(InputError, match="too long"):
        save_view(wh, "v", {"search": ["x" * 5000]}, principal=CY)
    for number in range(MOST_VIEWS):
        save_view(wh, f"v{number}", {}, principal=CY)
    with pytest.raises(InputError, match="kept already"):
        save_view(wh, "one more", {}, principal=CY)
    save_view(wh, "v0", {"sort": ["score"]}, principal=CY)
    with pytest.raises(InputError, match="no person"):
        save_view(wh, "t", {}, principal=Principal("t", "reviewer", mode="token"))
