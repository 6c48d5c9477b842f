"""The replay page: the events of the warehouse, and one of them whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tests.small_warehouse import Small
from warehouse.database import Warehouse
from warehouse.events import get_event, list_events
from warehouse.principal import local_principal

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def test_events_are_those_of_the_warehouse(small: Small, request: pytest.FixtureRequest, open_page: Open) -> None:
    with Warehouse.open(small.path, command="test") as wh:
        stored = list_events(wh, principal=local_principal())
    request.getfixturevalue("warehouse")
    page = open_page("replay")
    assert not page.exception
    table = page.dataframe[0].value
    assert list(table["event_id"]) == [row["event_id"] for row in stored.rows]
    assert list(table["flagged"]) == [row["flagged"] for row in stored.rows]


def test_one_event_shows_its_stages_and_scores(
    small: Small, request: pytest.FixtureRequest, open_page: Open, said: Said
) -> None:
    with Warehouse.open(small.path, command="test") as wh:
        event = list_events(wh, principal=local_principal(), flagged=True).rows[0]["event_id"]
        found = get_event(wh, event, principal=local_principal())
    request.getfixturevalue("warehouse")
    page = open_page("replay", event=event)
    assert not page.exception
    text = said(page)
    assert "As retrieved" in text
    assert "Final context" in text
    assert text.count("out: rsq") == sum(row["removed_by"] == "rsq" and row["rank"] <= 5 for row in found.ranking)
    assert "\u202e" not in text
    assert "<img" not in text


@pytest.mark.parametrize("event", ["event_nope", "<img src=x>", "x" * 5000])
def test_an_unknown_event_is_a_page_not_an_error(event: str, warehouse: Small, open_page: Open) -> None:
    page = open_page("replay", event=event)
    assert not page.exception
    assert page.title[0].value == "No such event"
