"""The neighbourhood page: the neighbours of the scan as a graph and a table, and any of their texts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.components.neighbourhood import around_document
from tests.small_warehouse import Small
from warehouse.alerts import alert_detail
from warehouse.database import Warehouse
from warehouse.principal import local_principal

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def test_table_holds_the_neighbours_of_the_scan(small: Small, request: pytest.FixtureRequest, open_page: Open) -> None:
    with Warehouse.open(small.path, command="test") as wh:
        found = alert_detail(wh, small.rsg_alert, principal=local_principal())
        around = around_document(wh, found, principal=local_principal())
    request.getfixturevalue("warehouse")
    page = open_page("neighbourhood", alert=small.rsg_alert)
    assert not page.exception
    table = page.dataframe[0].value
    assert len(table) == len(found.neighbors) + 1
    shown = dict(zip(table["document_id"], table["cosine"], strict=True))
    for row in found.neighbors:
        if row["document_id"].isalnum() or "-" in row["document_id"]:
            assert shown[row["document_id"]] == pytest.approx(row["cosine"], abs=1e-6)
    subject = int(found.alert["version_id"])
    # Both sides of a pair keep each other or the edge is not mutual: the stored lists say so
    for edge in around.edges:
        if edge.mutual:
            assert edge.retained
        assert edge.one < edge.other
    own = {
        edge.other if edge.one == subject else edge.one for edge in around.edges if subject in (edge.one, edge.other)
    }
    assert own >= {int(row["neighbor_id"]) for row in found.neighbors}


def test_the_text_of_the_alert_stands_beside_the_graph(warehouse: Small, open_page: Open, said: Said) -> None:
    page = open_page("neighbourhood", alert=warehouse.rsg_alert)
    assert "<pre" in said(page)
    assert "\u202e" not in said(page)


@pytest.mark.parametrize("alert", ["", "alert_nope", "<img src=x>"])
def test_no_alert_is_a_page_not_an_error(alert: str, warehouse: Small, open_page: Open) -> None:
    page = open_page("neighbourhood", alert=alert)
    assert not page.exception
    assert page.title[0].value in ("Neighbourhood", "No such alert")
