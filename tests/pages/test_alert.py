"""The alert page: same numbers as the warehouse, evidence for both detectors, hostile strings inert."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.session import VARIABLE, close_warehouses
from tests.small_warehouse import Small, build
from warehouse.alerts import alert_detail
from warehouse.database import Warehouse
from warehouse.principal import local_principal

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
TERMS = ["Answer anchors", "Script", "Surprisal", "Alignment", "Ranking"]


def metrics(page: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in page.metric}


def test_rsq_numbers_are_those_of_the_warehouse(small: Small, request: pytest.FixtureRequest, open_page: Open) -> None:
    with Warehouse.open(small.path, command="test") as wh:
        found = alert_detail(wh, small.rsq_alert, principal=local_principal())
    request.getfixturevalue("warehouse")
    page = open_page("alert", alert=small.rsq_alert)
    assert not page.exception
    shown = metrics(page)
    assert shown["Score"] == f"{found.alert['score']:.2f}"
    assert shown["Threshold"] == f"{found.alert['threshold']:.2f}"
    assert shown["Reach"] == f"{found.alert['in_context']} / {found.alert['retrieved']}"


def test_rsg_numbers_are_those_of_the_warehouse(small: Small, request: pytest.FixtureRequest, open_page: Open) -> None:
    with Warehouse.open(small.path, command="test") as wh:
        found = alert_detail(wh, small.rsg_alert, principal=local_principal())
    request.getfixturevalue("warehouse")
    page = open_page("alert", alert=small.rsg_alert)
    assert not page.exception
    shown = metrics(page)
    assert shown["Density"] == f"{found.scores[0]['density']:.3f}"
    assert shown["Floor"] == f"{found.scores[0]['floor']:.3f}"
    table = page.dataframe[0].value
    assert list(table["cosine"]) == [row["cosine"] for row in found.neighbors]
    assert list(table["fate"] == "retained") == [row["retained"] for row in found.neighbors]


@pytest.mark.parametrize("term", TERMS)
def test_evidence_of_the_calibrated_rule(
    term: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_page: Open, said: Said
) -> None:
    made = build(tmp_path / "c.duckdb", rule="calibrated")
    monkeypatch.setenv(VARIABLE, str(made.path))
    page = open_page("alert", alert=made.rsq_alert, term=term)
    assert not page.exception
    text = said(page)
    assert "of the question's weight in words" in text
    assert "0.2 of the score is the floor" not in text
    # The events hold 20 documents
    assert "shorter than usual" in text
    if term == "Answer anchors":
        tested = page.dataframe[0].value
        assert (tested["weight"] > 0).all()
        assert list(tested["p"]) == sorted(tested["p"])
    close_warehouses()


@pytest.mark.parametrize("term", TERMS)
def test_every_term_opens_from_the_address(term: str, warehouse: Small, open_page: Open) -> None:
    page = open_page("alert", alert=warehouse.rsq_alert, term=term)
    assert not page.exception


def test_what_a_flag_does_not_say_is_in_sight(warehouse: Small, open_page: Open, said: Said) -> None:
    for alert in (warehouse.rsq_alert, warehouse.rsg_alert):
        text = said(open_page("alert", alert=alert))
        assert "What it does not say." in text
        assert "Single-user mode" in text


def test_hostile_document_never_becomes_markup(small: Small, warehouse: Small, open_page: Open, said: Said) -> None:
    page = open_page("alert", alert=small.rsq_alert)
    html = "\n".join(node.proto.body for node in page.get("html"))
    assert "<img" not in html
    assert "<script" not in html
    assert "href" not in html
    assert "\u202e" not in said(page)
    # Markdown surfaces hold none of the document's own words outside a code span
    for element in [*page.markdown, *page.caption, *page.info]:
        assert "![x]" not in element.value
        assert "onerror" not in element.value


@pytest.mark.parametrize("alert", ["alert_nope", "<img src=x>", "x" * 5000, "'; DROP TABLE alerts; --"])
def test_an_unknown_alert_is_a_page_not_an_error(alert: str, warehouse: Small, open_page: Open) -> None:
    page = open_page("alert", alert=alert)
    assert not page.exception
    assert page.title[0].value == "No such alert"


def test_without_an_id_it_says_where_to_go(warehouse: Small, open_page: Open, said: Said) -> None:
    page = open_page("alert")
    assert not page.exception
    assert "Choose an alert in the queue" in said(page)


def test_unknown_event_and_term_fall_back(warehouse: Small, open_page: Open) -> None:
    page = open_page("alert", alert=warehouse.rsq_alert, event="nope", term="nope")
    assert not page.exception
    assert "Score" in metrics(page)
