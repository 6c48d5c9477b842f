"""What the queue does: tabs, claim, next, views, and one act on many with counts before and after."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.components import queue_pick, queue_table
from app.session import open_warehouse
from tests.reviewed_warehouse import ADMIN, BOB, CY, DEE, MEMBERS, VIC, Reviewed
from warehouse import audit
from warehouse.alerts import queue_page
from warehouse.bulk import list_jobs, report
from warehouse.claims import claim
from warehouse.decisions import decide
from warehouse.principal import Principal
from warehouse.views import list_views

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
Become = Callable[[Principal], None]


def press(page: AppTest, key: str) -> AppTest:
    page.button(key=key).click()
    page.run()
    assert not page.exception, page.exception
    return page


def keys(page: AppTest) -> set[str]:
    return {button.key for button in page.button if button.key}


def documents(page: AppTest) -> set[str]:
    return set(page.dataframe[0].value["document_id"])


def states() -> dict[str, Any]:
    rows = queue_page(open_warehouse(), principal=ADMIN).rows
    return {row["document_id"]: (row["status"], row["verdict"]) for row in rows}


def test_tabs_show_what_they_say(reviewed: Reviewed, open_page: Open, become: Become, said: Said) -> None:
    become(CY)
    wh, of = open_warehouse(), reviewed.alerts
    claim(wh, of["d1"], 1, principal=CY)
    claim(wh, of["d2"], 1, principal=DEE)
    decide(wh, of["d0"], 1, principal=CY, verdict="quarantine", reason="true_positive")
    decide(wh, of["d6"], 1, principal=CY, verdict="keep", reason="benign")
    assert documents(open_page("queue")) == {"d1", "d2", "d3", "d4", "d5"}
    page = open_page("queue", tab="mine")
    assert documents(page) == {"d1"}
    assert page.dataframe[0].value["holder"][0].startswith("cy, ")
    assert documents(open_page("queue", tab="waiting")) == {"d0"}
    assert documents(open_page("queue", tab="decided")) == {"d6"}
    assert len(documents(open_page("queue", tab="all"))) == 7
    assert documents(open_page("queue", status="decided")) == {"d6"}
    assert documents(open_page("queue", tab="all", verdict="quarantine")) == {"d0"}
    become(DEE)
    assert documents(open_page("queue", tab="mine")) == {"d2"}


def test_an_empty_tab_says_what_it_means(reviewed: Reviewed, open_page: Open, become: Become, said: Said) -> None:
    become(CY)
    assert "You have claimed nothing" in said(open_page("queue", tab="mine"))
    assert "No quarantine waits" in said(open_page("queue", tab="waiting"))
    assert "No alert matches these filters" in said(open_page("queue", tab="waiting", kind="copies"))


def test_claim_and_open_next_takes_the_first_of_the_view(reviewed: Reviewed, open_page: Open, become: Become) -> None:
    become(CY)
    page = press(open_page("queue", search="d6"), "next")
    found = page.query_params["alert"]
    assert found in (reviewed.alerts["d6"], [reviewed.alerts["d6"]])
    (row,) = queue_page(open_warehouse(), principal=ADMIN, sort="holder", limit=1).rows
    assert (row["document_id"], row["holder"]) == ("d6", "cy")


def test_views_are_kept_for_the_person(reviewed: Reviewed, open_page: Open, become: Become, said: Said) -> None:
    become(CY)
    page = open_page("queue", tab="waiting", kind="copies", sort="score", page="3")
    page.text_input(key="view_name").set_value("copies that wait").run()
    press(page, "save_view")
    (view,) = list_views(open_warehouse(), principal=CY)
    assert view["query"] == {"tab": ["waiting"], "kind": ["copies"], "sort": ["score"]}
    # Another browser of the same person has it, another person has not
    assert "remove_view_0" in keys(open_page("queue"))
    become(BOB)
    assert "remove_view_0" not in keys(open_page("queue"))
    become(CY)
    press(open_page("queue"), "remove_view_0")
    assert list_views(open_warehouse(), principal=CY) == []


def test_a_view_without_a_name_is_refused(reviewed: Reviewed, open_page: Open, become: Become, said: Said) -> None:
    become(CY)
    assert "no usable name for a view" in said(press(open_page("queue"), "save_view"))


def count_campaign(reviewed: Reviewed, open_page: Open, left_out: list[str]) -> AppTest:
    page = open_page("queue", campaign=reviewed.campaign, tab="all", bulk="campaign")
    page.session_state["queue_left_out"] = left_out
    page.run()
    return press(page, "bulk_count")


def test_bulk_on_a_campaign_with_an_exception_and_its_undo(
    reviewed: Reviewed, open_page: Open, become: Become, said: Said
) -> None:
    become(CY)
    page = count_campaign(reviewed, open_page, [reviewed.alerts["d3"]])
    assert "4 of 4 alerts would change**, 0 would be refused, 1 left out" in said(page)
    assert set(states().values()) == {("open", None)}, "counting changes nothing"
    press(page, "bulk_apply")
    assert {name for name, state in states().items() if state == ("waiting", "quarantine")} == {"d1", "d2", "d4", "d5"}
    wh = open_warehouse()
    (job,) = list_jobs(wh, principal=ADMIN)
    found = report(wh, job["job_id"], principal=ADMIN)
    assert (found.items, found.done, found.refused, found.left, found.exceptions) == (4, 4, 0, 0, 1)
    assert {metric.label: metric.value for metric in page.metric} == {
        "Alerts": "4", "Done": "4", "Refused": "0", "Left": "0", "Left out": "1",
    }  # fmt: skip
    press(page, "bulk_undo")
    assert "4 of 4 alerts would change" in said(page)
    press(page, "bulk_apply")
    assert set(states().values()) == {("open", None)}
    assert len(list_jobs(wh, principal=ADMIN)) == 2
    assert audit.verify(wh).ok


def test_bulk_on_ticked_rows_counts_refusals_by_name(
    reviewed: Reviewed, open_page: Open, become: Become, said: Said
) -> None:
    become(CY)
    claim(open_warehouse(), reviewed.alerts["d2"], 1, principal=DEE)
    page = open_page("queue", bulk="selection")
    assert "Tick *select* in the table below" in said(page)
    page.session_state["queue_selected"] = [reviewed.alerts[name] for name in ("d1", "d2")]
    page.run()
    page.selectbox(key="bulk_verdict").set_value("keep").run()
    page.selectbox(key="bulk_reason").set_value("benign").run()
    press(page, "bulk_count")
    assert "1 of 2 alerts would change**, 1 would be refused" in said(page)
    press(page, "bulk_apply")
    found = states()
    assert (found["d1"], found["d2"]) == (("decided", "keep"), ("claimed", None))
    assert page.session_state["queue_selected"] == []
    assert "1 × refused: somebody else has claimed it (`held_by_other`)" in said(page)


def test_bulk_on_the_whole_view(reviewed: Reviewed, open_page: Open, become: Become, said: Said) -> None:
    become(CY)
    page = open_page("queue", search="d6", bulk="filter")
    assert "All 1 alerts of this view" in said(page)
    page.selectbox(key="bulk_verdict").set_value("escalate").run()
    press(press(page, "bulk_count"), "bulk_apply")
    assert states()["d6"] == ("decided", "escalate")
    assert sum(state != ("open", None) for state in states().values()) == 1


def test_what_was_counted_is_not_applied_to_something_else(
    reviewed: Reviewed, open_page: Open, become: Become, said: Said
) -> None:
    become(CY)
    page = count_campaign(reviewed, open_page, [])
    assert "bulk_apply" in keys(page)
    page.selectbox(key="bulk_verdict").set_value("keep").run()
    assert "bulk_apply" not in keys(page)
    assert "count again" in said(page)


def test_a_job_that_others_overtook_reports_exactly(
    reviewed: Reviewed, open_page: Open, become: Become, said: Said
) -> None:
    become(CY)
    page = count_campaign(reviewed, open_page, [])
    decide(open_warehouse(), reviewed.alerts["d1"], 1, principal=DEE, verdict="keep", reason="benign")
    press(page, "bulk_apply")
    assert states()["d1"] == ("decided", "keep"), "what somebody else did stands"
    (job,) = list_jobs(open_warehouse(), principal=ADMIN)
    found = report(open_warehouse(), job["job_id"], principal=ADMIN)
    assert (found.done, found.refused, dict(found.reasons)) == (len(MEMBERS) - 1, 1, {"stale_version": 1})


def test_an_address_never_starts_or_continues_a_job(
    reviewed: Reviewed, open_page: Open, become: Become, said: Said
) -> None:
    become(CY)
    page = open_page("queue", job="bulk_nope", bulk="filter")
    assert "does not have" in said(page)
    assert set(states().values()) == {("open", None)}


def test_a_viewer_sees_no_acts(reviewed: Reviewed, open_page: Open, become: Become) -> None:
    become(VIC)
    page = open_page("queue", bulk="filter")
    assert not keys(page) & {"next", "bulk_count"}
    assert "pick" not in page.dataframe[0].value.columns


@pytest.mark.parametrize("purpose", ["select", "leave_out"])
def test_ticks_are_kept_by_id_over_pages(purpose: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, Any] = {queue_table.SHOWN: ["a", "b"], "queue_purpose": purpose}
    for module in (queue_pick, queue_table):
        monkeypatch.setattr(module.st, "session_state", state)

    def click(shown: list[str], row: int) -> None:
        state[queue_table.SHOWN], state["queue_tick"] = shown, {"row": row, "label": "☐"}
        queue_table.tick_clicked()

    click(["a", "b"], 1)
    click(["c"], 0)
    assert queue_pick.picked(purpose) == ["b", "c"]
    # Back on the first page, in another order: a second click takes b away
    click(["b", "a"], 0)
    click(["b", "a"], 1)
    assert queue_pick.picked(purpose) == ["c", "a"]
    assert queue_pick.picked("select" if purpose == "leave_out" else "leave_out") == []
    # A click on a row that is gone does nothing
    click(["b"], 7)
    assert queue_pick.picked(purpose) == ["c", "a"]


def test_the_table_shows_what_is_ticked(reviewed: Reviewed, open_page: Open, become: Become) -> None:
    become(CY)
    page = open_page("queue", bulk="selection")
    assert set(page.dataframe[0].value["pick"]) == {"☐"}
    page.session_state["queue_selected"] = [reviewed.alerts["d2"]]
    page.run()
    table = page.dataframe[0].value
    assert list(table["alert_id"][table["pick"] == "☑"]) == [reviewed.alerts["d2"]]
