"""The decision side of the alert page: every control does what it says, or refuses by name and keeps what was typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.session import open_warehouse
from tests.reviewed_warehouse import ADMIN, BOB, CY, DEE, LOCAL, VIC, Reviewed
from warehouse import audit
from warehouse.alerts import alert_detail
from warehouse.claims import claim
from warehouse.decisions import decide
from warehouse.holds import list_holds
from warehouse.principal import Principal
from warehouse.quarantine_versions import current_version, version_members
from warehouse.remediation import list_remedies
from warehouse.truth import list_claims

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
Become = Callable[[Principal], None]


def row(alert: str) -> dict[str, Any]:
    return alert_detail(open_warehouse(), alert, principal=ADMIN).alert


def press(page: AppTest, key: str) -> AppTest:
    page.button(key=key).click()
    page.run()
    assert not page.exception, page.exception
    return page


def keys(page: AppTest) -> set[str]:
    return {button.key for button in page.button if button.key}


def typed(page: AppTest, alert: str, verdict: str, note: str = "") -> AppTest:
    press(page, f"verdict_{verdict}")
    page.text_area(key=f"note:{alert}").set_value(note)
    return page.run()


def test_claim_shows_holder_and_end_and_can_be_given_back(
    reviewed: Reviewed, open_page: Open, become: Become, said: Said
) -> None:
    alert = reviewed.alerts["d0"]
    become(CY)
    page = press(open_page("alert", alert=alert), "claim")
    assert row(alert)["holder"] == "cy"
    assert "**Claimed by you** until" in said(page)
    assert "min left" in said(page)
    press(page, "give_back")
    assert row(alert)["status"] == "open"


def test_another_holder_locks_the_verdict_until_taken_over(
    reviewed: Reviewed, open_page: Open, become: Become, said: Said
) -> None:
    alert = reviewed.alerts["d0"]
    become(DEE)
    claim(open_warehouse(), alert, 1, principal=CY)
    page = typed(open_page("alert", alert=alert), alert, "keep")
    assert "holds it: wait, or take it over" in said(page)
    assert page.button(key="save").disabled
    press(page, "take_over")
    assert row(alert)["holder"] == "dee"
    assert not page.button(key="save").disabled
    (frame,) = (frame.value for frame in page.dataframe if "old" in frame.value.columns)
    assert list(frame["more"]) == ["", "taken over from cy"]


def test_a_refusal_is_named_and_keeps_what_was_typed(
    reviewed: Reviewed, open_page: Open, become: Become, said: Said
) -> None:
    alert = reviewed.alerts["d0"]
    become(CY)
    page = typed(open_page("alert", alert=alert), alert, "keep", "read the source")
    claim(open_warehouse(), alert, 1, principal=DEE)
    press(page, "save")
    assert "`held_by_other`" in said(page)
    assert page.text_area(key=f"note:{alert}").value == "read the source"
    assert row(alert)["verdict"] is None


def test_a_change_since_is_refused_as_stale(reviewed: Reviewed, open_page: Open, become: Become, said: Said) -> None:
    alert = reviewed.alerts["d6"]
    become(CY)
    page = typed(open_page("alert", alert=alert), alert, "keep", "mine")
    decide(open_warehouse(), alert, 1, principal=DEE, verdict="escalate", reason="other")
    press(page, "save")
    assert "`stale_version`" in said(page)
    assert row(alert)["verdict"] == "escalate"
    assert page.text_area(key=f"note:{alert}").value == "mine"


@pytest.mark.parametrize(
    ("verdict", "reason"), [("keep", "benign"), ("needs_verification", "other"), ("escalate", "other")]
)
def test_a_verdict_is_stored_with_its_likely_reason_and_note(
    verdict: str, reason: str, reviewed: Reviewed, open_page: Open, become: Become
) -> None:
    alert = reviewed.alerts["d6"]
    become(CY)
    press(typed(open_page("alert", alert=alert), alert, verdict, "looked"), "save")
    found = alert_detail(open_warehouse(), alert, principal=ADMIN)
    assert (found.alert["status"], found.alert["verdict"], found.alert["reason"]) == ("decided", verdict, reason)
    assert found.history[-1]["note"] == "looked"


def test_quarantine_at_once_where_nobody_else_is_needed(reviewed: Reviewed, open_page: Open, become: Become) -> None:
    alert = reviewed.alerts["d6"]
    become(CY)
    page = typed(open_page("alert", alert=alert), alert, "quarantine")
    assert page.toggle(key=f"at_once:{alert}").value is True
    press(page, "save")
    assert row(alert)["status"] == "in_force"


def test_quarantine_waits_and_a_second_person_approves(
    reviewed: Reviewed, open_page: Open, become: Become, said: Said
) -> None:
    alert = reviewed.alerts["d0"]
    become(CY)
    page = typed(open_page("alert", alert=alert), alert, "quarantine", "copied from a press release")
    assert "it got into 10 answers (limit 9)" in said(page)
    assert f"at_once:{alert}" not in [toggle.key for toggle in page.toggle]
    press(page, "save")
    assert row(alert)["status"] == "waiting"
    assert "Approving needs the role approver" in said(page)
    become(BOB)
    page = open_page("alert", alert=alert)
    assert "Waits for a second person" in said(page)
    press(page, "approve")
    assert row(alert)["status"] == "in_force"
    wh = open_warehouse()
    version = current_version(wh, principal=ADMIN)
    assert version is not None
    assert [one["document_id"] for one in version_members(wh, version.quarantine_id, principal=ADMIN)] == ["d0"]
    assert audit.verify(wh).ok


def test_the_proposer_is_told_that_another_must_approve(
    reviewed: Reviewed, open_page: Open, become: Become, said: Said
) -> None:
    alert = reviewed.alerts["d0"]
    become(BOB)
    page = press(typed(open_page("alert", alert=alert), alert, "quarantine"), "save")
    assert "`same_person`" in said(page)
    assert "approve" not in keys(page)


def test_turned_down_it_is_open_again_with_the_note(reviewed: Reviewed, open_page: Open, become: Become) -> None:
    alert = reviewed.alerts["d0"]
    become(BOB)
    decide(open_warehouse(), alert, 1, principal=CY, verdict="quarantine", reason="true_positive")
    page = open_page("alert", alert=alert)
    page.text_input(key=f"approval_note:{alert}").set_value("the source is ours").run()
    press(page, "turn_down")
    found = alert_detail(open_warehouse(), alert, principal=ADMIN)
    assert found.alert["status"] == "open"
    assert found.history[-1]["note"] == "the source is ours"


def test_undo_redo_reopen(reviewed: Reviewed, open_page: Open, become: Become) -> None:
    alert = reviewed.alerts["d6"]
    become(CY)
    page = press(typed(open_page("alert", alert=alert), alert, "keep"), "save")
    press(page, "undo")
    assert row(alert)["status"] == "open"
    press(page, "redo")
    assert row(alert)["verdict"] == "keep"
    press(page, "reopen")
    assert row(alert)["status"] == "open"


def test_why_undo_is_not_possible_is_named(reviewed: Reviewed, open_page: Open, become: Become, said: Said) -> None:
    alert = reviewed.alerts["d6"]
    become(DEE)
    decide(open_warehouse(), alert, 1, principal=CY, verdict="keep", reason="benign")
    page = open_page("alert", alert=alert)
    assert "`undo_conflict`" in said(page)
    assert "undo" not in keys(page)


def test_undo_of_a_quarantine_in_force_waits_in_shared_mode(
    reviewed: Reviewed, open_page: Open, become: Become, said: Said
) -> None:
    alert = reviewed.alerts["d6"]
    become(CY)
    page = press(typed(open_page("alert", alert=alert), alert, "quarantine"), "save")
    press(page, "undo")
    assert "stays in force until somebody else publishes" in said(page)
    assert row(alert)["status"] == "in_force"


def test_save_and_next_claims_the_next_of_the_queue(reviewed: Reviewed, open_page: Open, become: Become) -> None:
    alert = reviewed.alerts["d0"]
    become(CY)
    page = press(typed(open_page("alert", alert=alert), alert, "keep"), "save_next")
    following = page.query_params["alert"]
    following = following if isinstance(following, str) else following[0]
    # All five of the campaign are equally severe: the least id comes first
    assert following == min(reviewed.alerts[f"d{number}"] for number in range(1, 6))
    assert row(following)["holder"] == "cy"
    assert row(alert)["verdict"] == "keep"


def test_next_passes_over_without_a_verdict(reviewed: Reviewed, open_page: Open, become: Become) -> None:
    become(CY)
    page = open_page("alert", alert=reviewed.alerts["d0"])
    seen = []
    for _ in range(3):
        press(page, "next")
        found = page.query_params["alert"]
        seen.append(found if isinstance(found, str) else found[0])
    assert len(set(seen)) == 3
    assert reviewed.alerts["d0"] not in seen
    assert row(reviewed.alerts["d0"])["status"] == "open"


def test_hold_and_its_end(reviewed: Reviewed, open_page: Open, become: Become, said: Said) -> None:
    alert = reviewed.alerts["d0"]
    become(CY)
    page = press(open_page("alert", alert=alert), "hold")
    assert "a hold without a reason" in said(page)
    page.text_input(key=f"hold_why:{alert}").set_value("asking the curator").run()
    press(page, "hold")
    (held,) = list_holds(open_warehouse(), principal=ADMIN)
    assert (held["document_id"], held["reason"]) == ("d0", "asking the curator")
    assert "**On hold**" in said(page)
    press(page, f"end_{held['hold_id']}")
    assert list_holds(open_warehouse(), principal=ADMIN) == []


def test_refill_shows_who_moves_up(reviewed: Reviewed, open_page: Open, become: Become) -> None:
    become(CY)
    page = open_page("alert", alert=reviewed.alerts["d0"])
    frames = [frame.value for frame in page.dataframe if "then" in frame.value.columns]
    assert [one.split(" · ")[0] for one in frames[0]["now"]] == ["d0", "d7", "d8", "", ""]
    assert [one.split(" · ")[0] for one in frames[0]["then"]] == ["d7", "d8", "", "", ""]
    assert "RSQ is not rescored" in "\n".join(caption.value for caption in page.caption)


def test_decisions_show_old_and_new(reviewed: Reviewed, open_page: Open, become: Become) -> None:
    alert = reviewed.alerts["d6"]
    become(CY)
    decide(open_warehouse(), alert, 1, principal=DEE, verdict="keep", reason="benign", note="fine")
    decide(open_warehouse(), alert, 2, principal=CY, verdict="escalate", reason="other")
    page = open_page("alert", alert=alert)
    (frame,) = (frame.value for frame in page.dataframe if "old" in frame.value.columns)
    assert list(zip(frame["old"], frame["new"], strict=True)) == [
        ("open", "decided: keep (benign)"),
        ("decided: keep (benign)", "decided: escalate (other)"),
    ]
    assert frame["note"][0] == "fine"


def test_a_kept_text_says_until_when(reviewed: Reviewed, open_page: Open, become: Become, said: Said) -> None:
    alert = reviewed.alerts["d6"]
    become(CY)
    decide(open_warehouse(), alert, 1, principal=CY, verdict="keep", reason="benign")
    assert "does not alert again until" in said(open_page("alert", alert=alert))


def test_statements_and_checks(reviewed: Reviewed, open_page: Open, become: Become, said: Said) -> None:
    alert = reviewed.alerts["d0"]
    become(CY)
    page = press(open_page("alert", alert=alert), "state_claim")
    assert "no statement of a usable length" in said(page)
    page.text_area(key=f"statement:{alert}").set_value("The bridge opened in 1931.").run()
    press(page, "state_claim")
    (claim_row,) = list_claims(open_warehouse(), principal=ADMIN)
    assert (claim_row["statement"], claim_row["status"]) == ("The bridge opened in 1931.", "unverified")
    name = claim_row["claim_id"]
    page.text_area(key=f"check_evidence:{name}").set_value("javascript:alert(1)").run()
    press(page, f"check_{name}")
    assert "no usable reference" in said(page)
    page.text_area(key=f"check_evidence:{name}").set_value("https://archive.example/1931\nledger 7").run()
    press(page, f"check_{name}")
    (claim_row,) = list_claims(open_warehouse(), principal=ADMIN)
    assert claim_row["status"] == "supported"
    assert claim_row["checks"][0]["evidence"] == ["https://archive.example/1931", "ledger 7"]


def test_steps_at_the_source(reviewed: Reviewed, open_page: Open, become: Become) -> None:
    alert = reviewed.alerts["d0"]
    become(CY)
    page = open_page("alert", alert=alert)
    page.text_input(key=f"remedy_note:{alert}").set_value("wrote to the editor").run()
    press(page, "remedy")
    (step,) = list_remedies(open_warehouse(), principal=ADMIN)
    assert (step["step"], step["note"], step["actor"]) == ("source_notified", "wrote to the editor", "cy")


def test_a_viewer_sees_and_cannot_act(reviewed: Reviewed, open_page: Open, become: Become, said: Said) -> None:
    become(VIC)
    page = open_page("alert", alert=reviewed.alerts["d0"])
    assert "Deciding needs the role reviewer" in said(page)
    assert keys(page) & {"claim", "save", "undo", "hold", "state_claim", "remedy", "verdict_keep"} == set()


def test_single_user_mode_needs_nobody_else(reviewed: Reviewed, open_page: Open, become: Become) -> None:
    alert = reviewed.alerts["d0"]
    become(LOCAL)
    press(typed(open_page("alert", alert=alert), alert, "quarantine"), "save")
    assert row(alert)["status"] == "in_force"


def test_the_sheet_of_keys_opens(reviewed: Reviewed, open_page: Open, become: Become, said: Said) -> None:
    become(CY)
    page = press(open_page("alert", alert=reviewed.alerts["d0"]), "keys")
    assert "`q` verdict: quarantine" in said(page)
