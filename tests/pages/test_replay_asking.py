"""A new question on the replay page: asked beside the page, opened by its event, and never lost on the way."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.components.replay.asking import task_name
from app.services import console_models
from app.session import desk
from ragsieve_core.errors import ModelUnavailableError
from ragsieve_core.formats.records import RecordBatchColumns
from tests.app.services.conftest import StandIns
from tests.app.services.test_asking import BAD, QUESTION, ROWS
from warehouse.database import Warehouse
from warehouse.events import get_event, list_events
from warehouse.ingest import ingest
from warehouse.principal import Principal, local_principal
from warehouse.snapshots import list_snapshots

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
HOSTILE = "<img src=x onerror=alert(1)>![x](http://127.0.0.1:9/p.png) which lighthouse keeper \u202e lit lamp"


@pytest.fixture
def corpus(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus without vectors, and stand-in models in place of any profile."""
    with Warehouse.open(elsewhere, command="test") as wh:
        rows = [*ROWS, BAD]
        batch = RecordBatchColumns(id=[row["id"] for row in rows], text=[row["text"] for row in rows])
        ingest(wh, "c", [batch], principal=local_principal())
    monkeypatch.setattr(console_models, "open_models", lambda profile: StandIns())
    monkeypatch.setattr(console_models, "_held", {})
    return elsewhere


def answered() -> None:
    """Wait until the question of this person is no longer under way."""
    here = desk()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        task = here.background.task(task_name(here.principal))
        if task is not None and task.state != "running":
            return
        time.sleep(0.02)
    raise AssertionError("it was not answered")


def asked(open_page: Open, text: str) -> AppTest:
    page = open_page("replay", view="ask")
    assert not page.exception
    page.text_area(key="ask_text").set_value(text)
    return page.button(key="ask_go").click().run()


@pytest.mark.parametrize("text", [QUESTION[1], HOSTILE])
def test_the_answer_is_stored_and_opens_by_its_id(text: str, corpus: Path, open_page: Open, said: Said) -> None:
    page = asked(open_page, text)
    assert not page.exception
    answered()
    page.run()
    here = desk()
    [row] = list_events(here.warehouse, principal=here.principal).rows
    assert page.query_params["event"] in (row["event_id"], [row["event_id"]])
    assert "view" not in page.query_params
    assert (row["source"], row["query_text"]) == ("query", text)
    words = said(page)
    assert row["event_id"] in words
    assert "<img" not in words
    assert "\u202e" not in words
    # The link works for a colleague, and the form is empty for the next question
    again = open_page("replay", event=row["event_id"])
    assert not again.exception
    assert row["event_id"] in said(again)


def test_a_reload_keeps_the_answer_as_a_link(corpus: Path, open_page: Open, said: Said) -> None:
    asked(open_page, QUESTION[1])
    answered()
    other = open_page("replay", view="ask")
    assert "event" not in other.query_params
    assert "Your last question is answered." in [box.value for box in other.success]


def test_without_the_models_it_says_so_and_keeps_the_question(
    corpus: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(profile: str) -> None:
        raise ModelUnavailableError("no weights of <b>x</b> here", do="ragsieve models prepare --download")

    monkeypatch.setattr(console_models, "open_models", missing)
    page = asked(open_page, QUESTION[1])
    answered()
    page.run()
    assert not page.exception
    assert any("Nothing was asked" in box.value for box in page.error)
    assert any("ragsieve models prepare --download" in line.value for line in page.text)
    assert page.text_area(key="ask_text").value == QUESTION[1]
    page.button(key="dismiss_asked").click().run()
    assert not page.error
    assert list_events(desk().warehouse, principal=local_principal()).total == 0


def test_an_empty_question_and_a_second_one_are_refused_in_words(corpus: Path, open_page: Open) -> None:
    page = asked(open_page, "  ")
    assert any("Nothing was changed" in box.value for box in page.error)
    assert any("the question is empty" in box.value for box in page.error)
    here, go = desk(), threading.Event()
    here.background.start(task_name(here.principal), lambda: go.wait(20))
    try:
        page = open_page("replay", view="ask")
        assert page.button(key="ask_go").disabled
        assert any(button.label == "Cancel" for button in page.button)
    finally:
        go.set()


def test_a_question_can_be_cancelled(corpus: Path, open_page: Open) -> None:
    assert console_models._one.acquire(timeout=1)
    try:
        page = asked(open_page, QUESTION[1])
        page.run()
        page.button(key="work_cancel").click().run()
        answered()
        page.run()
    finally:
        console_models._one.release()
    assert any("Cancelled" in box.value for box in page.info)
    assert page.text_area(key="ask_text").value == QUESTION[1]
    assert list_events(desk().warehouse, principal=local_principal()).total == 0


def test_a_viewer_is_told_and_cannot_ask(corpus: Path, open_page: Open, become: Callable[[Principal], None]) -> None:
    become(Principal("vic", "viewer"))
    page = open_page("replay", view="ask")
    assert not page.exception
    assert not page.text_area
    assert any("needs the role reviewer" in box.value for box in page.info)


def test_a_role_that_was_taken_away_ends_at_the_click(
    corpus: Path, open_page: Open, become: Callable[[Principal], None]
) -> None:
    become(Principal("rea", "reviewer"))
    page = open_page("replay", view="ask")
    page.text_area(key="ask_text").set_value(QUESTION[1])
    become(Principal("rea", "viewer"))
    page.button(key="ask_go").click().run()
    assert list_events(desk().warehouse, principal=local_principal()).total == 0
    assert desk().background.task("ask:rea") is None


def test_an_address_never_asks(corpus: Path, open_page: Open) -> None:
    page = open_page(
        "replay", view="ask", corpus="c", ask_text=QUESTION[1], ask_go="1", snapshot="x", models="y", rule="z"
    )
    assert not page.exception
    assert page.text_area(key="ask_text").value in ("", None)
    assert desk().background.task(task_name(desk().principal)) is None


def test_an_earlier_snapshot(corpus: Path, open_page: Open) -> None:
    with_desk = open_page("replay", view="ask")
    here = desk()
    batch = RecordBatchColumns(id=["later"], text=[BAD["text"]])
    ingest(here.warehouse, "c", [batch], principal=here.principal)
    options = with_desk.run().selectbox(key="snapshot").options
    assert len(options) == 3
    page = with_desk
    page.text_area(key="ask_text").set_value(QUESTION[1])
    first = list_snapshots(here.warehouse, "c", principal=here.principal)[-1]
    page.selectbox(key="snapshot").set_value(first.snapshot_id).run()
    page.button(key="ask_go").click().run()
    answered()
    [row] = list_events(here.warehouse, principal=here.principal).rows
    found = get_event(here.warehouse, row["event_id"], principal=here.principal)
    assert "later" not in [one["document_id"] for one in found.ranking]


def test_a_person_of_two_tenants_says_whose_question_it_is(
    elsewhere: Path, open_page: Open, become: Callable[[Principal], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console_models, "open_models", lambda profile: StandIns())
    monkeypatch.setattr(console_models, "_held", {})
    with Warehouse.open(elsewhere, command="test") as wh:
        batch = RecordBatchColumns(
            id=[row["id"] for row in ROWS], text=[row["text"] for row in ROWS], tenant=["b"] * len(ROWS)
        )
        ingest(wh, "c", [batch], principal=local_principal())
    become(Principal("rea", "reviewer", frozenset({"a", "b"})))
    page = open_page("replay", view="ask")
    assert "documents" not in page.selectbox(key="snapshot").options[1]
    page.text_area(key="ask_text").set_value(QUESTION[1])
    page.selectbox(key="ask_tenant").set_value("b").run()
    page.button(key="ask_go").click().run()
    answered()
    [row] = list_events(desk().warehouse, principal=local_principal()).rows
    assert row["tenant"] == "b"
