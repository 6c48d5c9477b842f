"""The queue: rows as DuckDB gives them, state in the address, selection by id, hostile strings inert."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.components.queue_table import OPENED, SHOWN
from app.components.queue_view import SORTS
from tests.small_warehouse import HOSTILE_SOURCE, MARKUP, Small
from warehouse.alerts import SORTS as KNOWN
from warehouse.alerts import QueueFilter, queue_page
from warehouse.database import Warehouse
from warehouse.principal import local_principal

Open = Callable[..., AppTest]


def expected(small: Small, **query: object) -> list[str]:
    with Warehouse.open(small.path, command="test") as wh:
        return [row["alert_id"] for row in queue_page(wh, principal=local_principal(), **query).rows]  # type: ignore[arg-type]


def test_rows_are_those_of_the_warehouse(small: Small, request: pytest.FixtureRequest, open_page: Open) -> None:
    wanted = expected(small)
    request.getfixturevalue("warehouse")
    page = open_page("queue")
    assert not page.exception
    frame = page.dataframe[0].value
    assert list(frame["alert_id"]) == wanted == page.session_state[SHOWN]
    assert any(f"n = {len(wanted)} alerts" in caption.value for caption in page.caption)


def test_filters_sort_and_rows_come_from_the_address(
    small: Small, request: pytest.FixtureRequest, open_page: Open
) -> None:
    wanted = expected(small, filters=QueueFilter(detectors=["rsg"]), sort="document_id", descending=False)
    request.getfixturevalue("warehouse")
    page = open_page("queue", detector="rsg", sort="document_id", order="asc", rows="25")
    assert not page.exception
    assert list(page.dataframe[0].value["alert_id"]) == wanted
    assert page.multiselect(key="detector").value == ["rsg"]


def test_a_changed_filter_goes_into_the_address(warehouse: Small, open_page: Open) -> None:
    page = open_page("queue")
    page.text_input(key="search").set_value("plant-5").run()
    assert page.query_params["search"] in ("plant-5", ["plant-5"])
    assert set(page.dataframe[0].value["document_id"]) == {"plant-5"}
    page.text_input(key="search").set_value("").run()
    assert "search" not in page.query_params


@pytest.mark.parametrize("query", [{"sort": "no"}, {"page": "-3"}, {"page": "²"}, {"rows": "7"}, {"status": "no"}])
def test_a_broken_address_shows_the_queue(query: dict[str, str], warehouse: Small, open_page: Open) -> None:
    page = open_page("queue", **query)
    assert not page.exception
    assert page.dataframe[0].value.shape[0] > 0


def test_a_page_past_the_end_says_so(warehouse: Small, open_page: Open, said: Callable[[AppTest], str]) -> None:
    page = open_page("queue", page="99")
    assert not page.exception
    assert "past the end" in said(page)


def test_no_match_and_no_alert_say_what_to_do(
    warehouse: Small, open_page: Open, said: Callable[[AppTest], str]
) -> None:
    assert "No alert matches these filters" in said(open_page("queue", search="no such id"))


def test_an_empty_warehouse_says_what_to_run(elsewhere: Path, open_page: Open, said: Callable[[AppTest], str]) -> None:
    Warehouse.open(elsewhere, command="test").close()
    page = open_page("queue")
    assert not page.exception
    assert "ragsieve scan --corpus NAME" in said(page)


def test_hostile_strings_are_visible_lines(warehouse: Small, open_page: Open) -> None:
    frame = open_page("queue", search=warehouse.hostile_document).dataframe[0].value
    assert frame["title"][0].startswith(MARKUP)
    assert "⟦U+202E RLO⟧" in frame["title"][0]
    assert frame["source_uri"][0] == HOSTILE_SOURCE
    assert "⟦U+200B ZWSP⟧" in frame["contributor"][0]


def test_open_leads_to_the_alert_of_the_drawn_row(warehouse: Small, open_page: Open) -> None:
    page = open_page("queue")
    page.session_state[OPENED] = warehouse.rsg_alert
    page.run()
    assert not page.exception
    assert page.query_params["alert"] in (warehouse.rsg_alert, [warehouse.rsg_alert])


def test_every_sort_on_offer_is_known_to_the_warehouse() -> None:
    assert set(SORTS) <= set(KNOWN)
