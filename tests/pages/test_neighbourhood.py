"""The neighbourhood page: the neighbours of the scan as a graph and a table, and any of their texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.components import members_table, queue_pick
from app.components.neighbourhood import around_document
from app.pages_map import page_file
from tests.reviewed_warehouse import CY, VIC, Reviewed
from tests.small_warehouse import Small
from warehouse.alerts import alert_detail
from warehouse.database import Warehouse
from warehouse.principal import Principal, local_principal

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


def test_a_member_left_out_here_is_left_out_in_the_queue(
    reviewed: Reviewed, open_page: Open, become: Callable[[Principal], None]
) -> None:
    become(CY)
    page = open_page("neighbourhood", alert=reviewed.alerts["d1"], view="campaign")
    assert not page.exception
    (table,) = [frame.value for frame in page.dataframe if "pick" in frame.value]
    # Five members have a tick, the documents next to them have none
    assert list(table["pick"]).count("☐") == 5
    assert table["pick"].isna().sum() == len(table) - 5
    page.session_state["queue_left_out"] = [reviewed.alerts["d3"], reviewed.alerts["d0"]]
    page.run()
    (table,) = [frame.value for frame in page.dataframe if "pick" in frame.value]
    assert list(table["document_id"][table["pick"] == "☑"]) == ["d3"]
    labels = [link.proto.label for link in page.get("page_link")]
    assert "Decide for the campaign without 1" in labels
    page.switch_page(str(page_file("queue")))
    page.query_params.clear()
    for name, value in {"campaign": reviewed.campaign, "tab": "all", "bulk": "campaign"}.items():
        page.query_params[name] = value
    page.run()
    (queue,) = [frame.value for frame in page.dataframe if "pick" in frame.value]
    assert list(queue["document_id"][queue["pick"] == "☑"]) == ["d3"]


def test_a_click_leaves_out_by_id_and_another_campaign_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, Any] = {"members_shown": ["a", None, "b"], "member_tick": {"row": 2, "label": "☐"}}
    for module in (queue_pick, members_table):
        monkeypatch.setattr(module.st, "session_state", state)
    queue_pick.leave_out_of("c-1")
    members_table._flip()
    state["member_tick"] = {"row": 1, "label": ""}
    members_table._flip()
    state["member_tick"] = {"row": 9, "label": ""}
    members_table._flip()
    assert queue_pick.picked("leave_out") == ["b"]
    queue_pick.leave_out_of("c-1")
    assert queue_pick.picked("leave_out") == ["b"]
    queue_pick.leave_out_of("c-2")
    assert queue_pick.picked("leave_out") == []


def test_a_viewer_has_no_ticks(reviewed: Reviewed, open_page: Open, become: Callable[[Principal], None]) -> None:
    become(VIC)
    page = open_page("neighbourhood", alert=reviewed.alerts["d1"], view="campaign")
    assert not page.exception
    assert not [frame for frame in page.dataframe if "pick" in frame.value]
