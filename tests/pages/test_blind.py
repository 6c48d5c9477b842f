"""Blind review: an item shows no score; answers are stored; figures are those of the warehouse or a named reason."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.session import desk
from ragsieve_core.review.recall import NOT_ESTIMABLE
from tests.pages.people import Shared, shared
from tests.warehouse.desk import LOCAL, fill
from warehouse.database import Warehouse
from warehouse.labels import list_labels
from warehouse.quality import recall_estimate, sampled_corpora
from warehouse.sampling import next_blind

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
Become = Callable[[str], None]


@pytest.fixture
def half_flagged(elsewhere, monkeypatch: pytest.MonkeyPatch) -> Warehouse:
    """Eight documents, the first four flagged."""
    monkeypatch.setenv("RAGSIEVE_CANARY_PROFILE", "none")
    with Warehouse.open(elsewhere, command="test") as wh:
        fill(wh, 8, flagged=range(4))
    return elsewhere


def test_without_a_draw_there_is_no_number(desk_of_two: Shared, open_page: Open, said: Said) -> None:
    page = open_page("blind")
    assert not page.exception
    assert "Nothing waits for you" in said(page)
    page = open_page("blind", tab="How good is the review")
    assert NOT_ESTIMABLE in said(page)
    assert NOT_ESTIMABLE in said(open_page("queue"))


def test_draw_answer_and_estimate(half_flagged, open_page: Open, said: Said) -> None:
    page = open_page("blind", tab="How good is the review")
    page.number_input(key="draw_rate").set_value(0.0)
    page.number_input(key="draw_least").set_value(50).run()
    page.button(key="draw_go").click().run()
    assert not page.exception
    assert "4 of n = 4 drawn" in page.success[0].value
    wh = desk().warehouse
    assert sampled_corpora(wh, principal=LOCAL) == ("c",)
    assert NOT_ESTIMABLE not in said(open_page("queue"))
    for number, key in enumerate(("blind_y", "blind_n", "blind_u", "blind_n")):
        page = open_page("blind")
        item = next_blind(wh, principal=desk().principal)
        assert item is not None
        shown = said(page)
        assert item.document_id in shown
        assert not any(word in shown.casefold().replace("never a score", "") for word in ("score 0", "rsg", "severity"))
        page.text_input(key="blind_note").set_value(f"note {number}").run()
        page.button(key=key).click().run()
        assert not page.exception
        assert "Stored" in page.success[0].value
    assert "Nothing waits for you" in said(open_page("blind"))
    page = open_page("blind", tab="How good is the review")
    found = recall_estimate(wh, "c", principal=LOCAL)
    frame = page.dataframe[0].value
    assert (frame["sampled"][0], frame["answered"][0]) == (found.sampled, found.answered) == (4, 3)
    assert frame["recall"][0] == (None if found.recall is None else f"{found.recall:.0%}")
    page.button(key="labels_go").click().run()
    assert "3 new labels" in page.success[0].value
    assert len(list_labels(wh, principal=LOCAL)) == 3


def test_answering_and_drawing_need_their_roles(
    desk_of_two: Shared, as_person: Become, open_page: Open, said: Said
) -> None:
    as_person("val")
    assert "needs the role reviewer" in said(open_page("blind"))
    page = open_page("blind", tab="How good is the review")
    assert "over all tenants" in said(page)
    assert "Drawing needs the role approver" in said(page)
    assert not [button for button in page.button if button.key == "draw_go"]


def test_second_looks_and_a_refused_draw(desk_of_two: Shared, as_person: Become, open_page: Open) -> None:
    from tests.warehouse.desk import version
    from warehouse.decisions import decide
    from warehouse.roles import principal_for

    as_person("bob")
    page = open_page("blind", tab="How good is the review")
    page.selectbox(key="draw_kind").select("second").run()
    page.button(key="draw_go").click().run()
    assert "(`nothing_to_do`)" in page.error[0].value
    wh = desk().warehouse
    alert = desk_of_two.alerts["d0"]
    decide(wh, alert, version(wh, alert), principal=principal_for(wh, "cy"), verdict="keep", reason="benign")
    page.number_input(key="draw_rate").set_value(100.0).run()
    page.button(key="draw_go").click().run()
    assert "1 of n = 1 drawn" in page.success[0].value
    # Who decided is never given the second look
    assert next_blind(wh, principal=principal_for(wh, "cy")) is None
    assert next_blind(wh, principal=principal_for(wh, "bob")) is not None


def test_the_shared_desk_is_made_once(tmp_path) -> None:
    assert set(shared(tmp_path / "w.duckdb").alerts) == {"d0", "d1", "d2", "d3"}
