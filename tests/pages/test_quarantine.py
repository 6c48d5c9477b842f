"""Quarantine versions: propose, approve by a second person, canary, release, roll back, export, receipts."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.session import desk
from tests.pages.people import Shared
from tests.warehouse.desk import LOCAL, quarantined
from tests.warehouse.desk import version as version_of
from warehouse.canary import canary_runs
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.quarantine import list_versions
from warehouse.realerting import allow_list
from warehouse.release_costs import release_costs

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
Become = Callable[[str], None]


def decided(wh: Warehouse, shared: Shared, *documents: str, who: str = "cy") -> None:
    """Verdict quarantine without putting it in force."""
    from warehouse.roles import principal_for

    for name in documents:
        alert = shared.alerts[name]
        principal = principal_for(wh, who)
        decide(wh, alert, version_of(wh, alert), principal=principal, verdict="quarantine", reason="true_positive")


def replayed(wh: Warehouse, name: str) -> dict:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        runs = canary_runs(wh, principal=LOCAL, quarantine_id=name)
        if runs:
            return runs[0]
        time.sleep(0.1)
    raise AssertionError("no replay")


def test_nothing_yet_says_what_to_do(desk_of_two: Shared, open_page: Open, said: Said) -> None:
    for tab, words in (
        ("Versions", "No version yet"),
        ("Propose", "No verdict waits"),
        ("Holds", "No document is on hold"),
        ("Released", "Nothing was released yet"),
        ("Index", "No version is in force yet"),
    ):
        page = open_page("quarantine", tab=tab)
        assert not page.exception
        assert words in said(page)


def test_one_proposes_another_approves_and_the_canary_runs_by_itself(
    desk_of_two: Shared, as_person: Become, open_page: Open, said: Said
) -> None:
    as_person("cy")
    open_page("quarantine")
    wh = desk().warehouse
    decided(wh, desk_of_two, "d0", "d2")
    page = open_page("quarantine", tab="Propose")
    assert "n = 2 alerts" in said(page)
    page.multiselect(key="propose_alerts").set_value([desk_of_two.alerts["d0"]]).run()
    page.text_input(key="propose_note").set_value("same text").run()
    page.button(key="propose").click().run()
    assert not page.exception
    (made,) = list_versions(wh, principal=LOCAL)
    assert (made.state, made.author, made.members, made.note) == ("proposed", "cy", 1, "same text")
    assert page.query_params["version"] in (made.quarantine_id, [made.quarantine_id])
    assert "Until somebody approves" in said(page)
    # The proposer is no approver; an approver who proposed is the same person
    page.button(key="approve").click().run()
    assert "(`not_allowed`)" in page.error[0].value
    assert quarantined(wh) == set()
    as_person("bob")
    page = open_page("quarantine", version=made.quarantine_id)
    page.button(key="approve").click().run()
    assert "#1 is in force" in page.success[0].value
    assert quarantined(wh) == {"d0"}
    run = replayed(wh, made.quarantine_id)
    page = open_page("quarantine", version=made.quarantine_id)
    # The same number on the screen as in the warehouse
    assert run["verified_absent"] == 3
    assert page.dataframe[0].value["canary"][0] == "verified absent 3"
    assert "Verified absent 3" in page.success[0].value


def test_the_proposer_of_a_change_is_refused_by_name(desk_of_two: Shared, as_person: Become, open_page: Open) -> None:
    as_person("bob")
    open_page("quarantine")
    wh = desk().warehouse
    decided(wh, desk_of_two, "d1", who="bob")
    page = open_page("quarantine", tab="Propose")
    page.button(key="approve_alerts").click().run()
    assert "(`same_person`)" in page.error[0].value
    page.button(key="propose").click().run()
    page.button(key="approve").click().run()
    assert "(`same_person`)" in page.error[0].value
    assert quarantined(wh) == set()
    page.button(key="reject").click().run()
    assert "is rejected" in page.success[0].value
    as_person("ada")
    page = open_page("quarantine", tab="Propose")
    page.button(key="approve_alerts").click().run()
    assert "is in force" in page.success[0].value
    assert quarantined(wh) == {"d1"}


def test_a_replay_that_ends_at_once_does_not_take_the_outcome_away(
    desk_of_two: Shared, as_person: Become, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page draws itself anew when the replay is there, here before anybody read what the approval came to."""
    as_person("bob")
    open_page("quarantine")
    wh = desk().warehouse
    decided(wh, desk_of_two, "d1", who="cy")
    page = open_page("quarantine", tab="Propose")
    asked: list[int] = []

    def late(wh: Warehouse, **words: Any) -> Any:
        """None to the first who asks; the next waits until the replay has ended."""
        version = next((one for one in list_versions(wh, principal=LOCAL) if one.state == "in_force"), None)
        if version is None:
            return []
        asked.append(1)
        if len(asked) == 1:
            return []
        replayed(wh, version.quarantine_id)
        return canary_runs(wh, **words)

    monkeypatch.setattr("app.components.quarantine.canary.canary_runs", late)
    page.button(key="approve_alerts").click().run()
    assert len(asked) > 2, "the page was not drawn anew"
    assert "#1 is in force" in page.success[0].value
    page.button(key="canary_again").click().run()
    assert "is in force" not in page.success[0].value


def test_release_sticks_and_roll_back_is_a_new_version(
    desk_of_two: Shared, as_person: Become, open_page: Open, said: Said
) -> None:
    as_person("cy")
    open_page("quarantine")
    wh = desk().warehouse
    decided(wh, desk_of_two, "d0", "d2")
    page = open_page("quarantine", tab="Propose")
    page.number_input(key="propose_days").set_value(7.0).run()
    page.button(key="propose").click().run()
    as_person("bob")
    first = list_versions(wh, principal=LOCAL)[0].quarantine_id
    open_page("quarantine", version=first).button(key="approve").click().run()
    replayed(wh, first)
    as_person("cy")
    page = open_page("quarantine")
    assert "UTC" in page.dataframe[3].value["ends"][0]
    page.multiselect(key="release_documents").set_value(["c\x1fd0"]).run()
    page.selectbox(key="release_reason").select("policy_exception").run()
    page.number_input(key="release_days").set_value(30.0).run()
    page.button(key="release").click().run()
    assert "#2 is proposed" in page.success[0].value
    as_person("bob")
    second = list_versions(wh, principal=LOCAL)[0].quarantine_id
    open_page("quarantine", version=second).button(key="approve").click().run()
    assert quarantined(wh) == {"d2"}
    assert replayed(wh, second)["restored"] == 3
    (entry,) = allow_list(wh, principal=LOCAL)
    assert (entry["reason"], (entry["expires_at"] - entry["acted_at"]).days) in (
        ("policy_exception", 30), ("policy_exception", 29)
    )  # fmt: skip
    page = open_page("quarantine", tab="Released")
    (cost,) = release_costs(wh, principal=LOCAL)
    assert f"n = 1 released documents, {cost['hours_in_force']:.1f} hours in force" in said(page)
    # Rolled back to the first: a third version with its documents
    as_person("cy")
    page = open_page("quarantine", version=first)
    page.button(key="rollback").click().run()
    third = list_versions(wh, principal=LOCAL)[0]
    assert (third.sequence, third.restores_id, third.state) == (3, first, "proposed")
    as_person("bob")
    open_page("quarantine", version=third.quarantine_id).button(key="approve").click().run()
    assert quarantined(wh) == {"d0", "d2"}
    page = open_page("quarantine", version=third.quarantine_id, **{"with": first})
    assert "n = 0 only in #3, 0 only in the other." in said(page)
    # Its parent is what a version is compared with unless the address says otherwise
    page.selectbox(key="with").select(second).run()
    assert "with" not in page.query_params
    assert "n = 1 only in #3, 0 only in the other." in said(page)


def test_a_viewer_of_one_tenant_sees_its_documents_alone(
    desk_of_two: Shared, as_person: Become, open_page: Open, said: Said
) -> None:
    as_person("ada")
    open_page("quarantine")
    wh = desk().warehouse
    decided(wh, desk_of_two, "d0", "d2")
    page = open_page("quarantine", tab="Propose")
    page.button(key="propose").click().run()
    as_person("val")
    page = open_page("quarantine")
    assert page.dataframe[0].value["members"][0] == 1
    for frame in page.dataframe[1:]:
        if "document" in frame.value:
            assert set(frame.value["document"]) <= {"d0"}
    assert "d2" not in said(page)


def test_exposure_counts_answers_since_the_proposal(
    desk_of_two: Shared, as_person: Become, open_page: Open, said: Said
) -> None:
    from tests.warehouse.desk import reached

    as_person("cy")
    open_page("quarantine")
    wh = desk().warehouse
    decided(wh, desk_of_two, "d0", "d1")
    page = open_page("quarantine", tab="Propose")
    page.button(key="propose").click().run()
    assert "0 contexts of recorded answers held one, n = 0 of 2 documents" in said(page)
    reached(wh, "d1", 2)
    assert "contexts of recorded answers held one, n = " in said(open_page("quarantine"))


def test_files_and_deliveries_of_the_version_in_force(
    desk_of_two: Shared, as_person: Become, open_page: Open, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_person("cy")
    open_page("quarantine")
    wh = desk().warehouse
    decided(wh, desk_of_two, "d0")
    open_page("quarantine", tab="Propose").button(key="propose").click().run()
    as_person("bob")
    open_page("quarantine").button(key="approve").click().run()
    page = open_page("quarantine", tab="Index")
    assert {button.label for button in page.get("download_button")} >= {"JSON Lines", "Parquet"}
    from app.components.quarantine.index_side import _file

    (line,) = _file(desk(), list_versions(wh, principal=LOCAL)[0].quarantine_id, "jsonl").decode().splitlines()
    assert json.loads(line)["document_id"] == "d0"
    page.text_input(key="deliver_url").set_value("http://index.example/q").run()
    page.text_input(key="deliver_secret").set_value("short").run()
    page.button(key="deliver").click().run()
    assert "secret is too short" in page.error[0].value
    page.text_input(key="deliver_secret").set_value("0123456789abcdef").run()
    page.button(key="deliver").click().run()
    desk().background.stop()
    page = open_page("quarantine", tab="Index")
    assert "The last delivery was not made" in said(page)
    as_person("cy")
    assert "needs the role approver" in said(open_page("quarantine", tab="Index"))


def test_a_hold_is_shown_and_ended(desk_of_two: Shared, as_person: Become, open_page: Open, said: Said) -> None:
    from warehouse.holds import hold, list_holds
    from warehouse.roles import principal_for

    as_person("cy")
    open_page("quarantine")
    wh = desk().warehouse
    hold(wh, desk_of_two.alerts["d0"], principal=principal_for(wh, "cy"), hours=3, reason="asked the source")
    page = open_page("quarantine", tab="Holds")
    assert page.dataframe[0].value["reason"][0] == "asked the source"
    page.button(key="hold_end").click().run()
    assert "The hold ended" in page.success[0].value
    assert list_holds(wh, principal=LOCAL) == []


@pytest.mark.parametrize("query", [{"version": "no"}, {"with": "no"}, {"tab": "no"}])
def test_a_broken_address_shows_the_page(query: dict[str, str], desk_of_two: Shared, open_page: Open) -> None:
    page = open_page("quarantine", **query)
    assert not page.exception
