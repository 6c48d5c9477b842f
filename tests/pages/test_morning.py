"""A reviewer's morning in a real browser, two people on one desk, and the audit chain that tells the same story."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser import dashboard, settled, watch
from tests.reviewed_warehouse import ADMIN, Reviewed, copied
from warehouse import audit
from warehouse.database import Warehouse

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
# Whoever signs people in, the pages ask the desk who looks: here a cookie says so
SIGN_IN = f"""
import sys; sys.path.append({str(ROOT)!r})
import streamlit as st
from app.session import Desk
from tests.reviewed_warehouse import PEOPLE
Desk.principal = property(lambda self: PEOPLE[st.context.cookies["person"]], lambda self, value: None)
"""
STORY = [
    "cy claimed",
    "cy decided",
    # The next one, claimed and given back
    "cy claimed",
    "cy claim_ended",
    # At once, because nobody else is needed
    "cy quarantine_proposed",
    "cy quarantine_published",
    "cy decided",
    # The campaign with an exception, and back
    "cy bulk_started",
    "cy decided",
    "cy bulk_worked",
    "cy bulk_started",
    "cy undone",
    "cy bulk_worked",
    "cy quarantine_proposed",
    "bob quarantine_published",
    "bob approved",
    "cy quarantine_proposed",
    "bob quarantine_published",
    "bob rolled_back",
]
# Middle of the first row, and from row to row, in pixels: Streamlit measures rows in the font size of the theme
FIRST_ROW, ROW = 50, 33
# Of the window: the table stands below the panel, and a row below the window cannot be clicked
HEIGHT = 1600


def test_a_reviewers_morning(made: Reviewed, tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    # Stored rankings are filtered: no model is loaded for the canary
    monkeypatch.setenv("RAGSIEVE_CANARY_PROFILE", "none")
    desk = copied(made, tmp_path)
    with dashboard(desk.path, before=SIGN_IN) as url:

        def sit_down(person: str) -> Page:
            context = browser.new_context(viewport={"width": 1440, "height": HEIGHT})
            context.add_cookies([{"name": "person", "value": person, "url": url}])
            return context.new_page()

        cy, bob = sit_down("cy"), sit_down("bob")
        seen = [watch(cy), watch(bob)]
        claim_look_and_quarantine(cy, url, desk)
        quarantine_at_once(cy, url, desk)
        campaign_with_one_exception_and_back(cy, url, desk)
        approve_as_second_person(bob, url, desk)
        canary_and_roll_back(cy, bob, url)
        for one in seen:
            assert one.foreign(url) == []
            assert [text for text in one.errors if "404" not in text] == []
    with Warehouse.open(desk.path, command="test") as wh:
        assert audit.verify(wh).ok
        assert story(wh) == STORY


def main_of(page: Page) -> str:
    return page.locator('[data-testid="stMainBlockContainer"]').inner_text()


def until(page: Page, true: Callable[[str], object], what: str) -> str:
    """Wait for the page to say something."""
    for _ in range(60):
        if true(main_of(page)):
            settled(page)
            return main_of(page)
        page.wait_for_timeout(250)
    raise AssertionError(f"never: {what}\n{main_of(page)[:3000]}")


def says(page: Page, words: str) -> str:
    return until(page, lambda text: words in text, words)


def claim_look_and_quarantine(page: Page, url: str, desk: Reviewed) -> None:
    page.goto(f"{url}/queue?detector=rsg&sort=in_context")
    settled(page)
    assert "n = 7 alerts" in main_of(page)
    page.keyboard.press("n")
    page.wait_for_url(f"**/alert?alert={desk.alerts['d0']}")
    text = says(page, "Claimed by you until")
    for evidence in ("Density against the floor", "If quarantined", "Provenance", "Reach", "Is it true?"):
        assert evidence in text
    page.keyboard.press("q")
    says(page, "it got into 10 answers (limit 9)")
    page.get_by_label("Note", exact=True).fill("The wording is that of a press release, quoted nowhere else.")
    page.get_by_label("Note", exact=True).blur()
    settled(page)
    page.get_by_role("button", name="Save and next").click()
    page.wait_for_url(lambda address: desk.alerts["d0"] not in address)
    says(page, "Saved: waiting for approval: quarantine (true positive)")
    says(page, "Claimed by you until")
    # The next one was offered and claimed; it is given back
    page.keyboard.press("x")
    says(page, "Given back")


def quarantine_at_once(page: Page, url: str, desk: Reviewed) -> None:
    page.goto(f"{url}/alert?alert={desk.alerts['d6']}")
    settled(page)
    page.keyboard.press("q")
    says(page, "Put in force at once")
    page.keyboard.press("s")
    says(page, "Saved: in force: quarantine")


def campaign_with_one_exception_and_back(page: Page, url: str, desk: Reviewed) -> None:
    page.goto(f"{url}/neighbourhood?alert={desk.alerts['d1']}")
    settled(page)
    page.get_by_role("link", name="Decide for the campaign").click()
    page.wait_for_url("**/queue?*bulk=campaign*")
    says(page, "Every alert of the campaign")
    settled(page)
    order = sorted(desk.alerts[f"d{number}"] for number in range(1, 6))
    tick(page, order.index(desk.alerts["d3"]))
    says(page, "1 left out")
    page.get_by_role("button", name="Count what it would do").click()
    says(page, "4 of 4 alerts would change")
    page.get_by_role("button", name="Apply to 4 alerts").click()
    text = says(page, "Finished: 4 done, 0 refused")
    assert re.search(r"Left out\s+1", text)
    page.get_by_role("button", name="Undo this job").click()
    says(page, "Undo a whole job")
    page.get_by_role("button", name="Apply to 4 alerts").click()
    says(page, "Finished: 4 done, 0 refused")
    page.goto(f"{url}/queue?campaign={desk.campaign}")
    settled(page)
    assert "n = 5 alerts" in main_of(page), "all five are open again"


def tick(page: Page, row: int) -> None:
    """Press the tick of a row of the table, which is a canvas: where it stands still, at the place of the button."""
    table = page.locator('[data-testid="stDataFrame"]').first
    table.locator("canvas").first.wait_for()
    before = None
    for _ in range(20):
        box = table.bounding_box()
        if box is not None and box == before:
            break
        before = box
        page.wait_for_timeout(400)
    assert before is not None
    # A click outside the window is no click
    assert before["y"] + FIRST_ROW + ROW * (row + 1) < HEIGHT
    page.mouse.click(before["x"] + 42, before["y"] + FIRST_ROW + ROW * row)


def approve_as_second_person(page: Page, url: str, desk: Reviewed) -> None:
    page.goto(f"{url}/queue?tab=waiting")
    settled(page)
    assert "n = 1 alerts" in main_of(page)
    page.goto(f"{url}/alert?alert={desk.alerts['d0']}")
    says(page, "Waits for a second person")
    page.keyboard.press("a")
    says(page, "In force with quarantine version")


def canary_and_roll_back(cy: Page, bob: Page, url: str) -> None:
    cy.goto(f"{url}/quarantine")
    says(cy, "Verified absent 10")
    cy.get_by_role("combobox", name="Version", exact=False).first.click()
    cy.get_by_role("option", name=re.compile("^#1 ")).click()
    says(cy, "Propose a roll-back to this version")
    cy.get_by_label("Note").first.fill("the press release is ours")
    cy.keyboard.press("Enter")
    settled(cy)
    cy.get_by_role("button", name="Propose a roll-back to this version").click()
    says(cy, "#3 is proposed")
    bob.goto(cy.url)
    settled(bob)
    bob.get_by_role("button", name="Approve", exact=True).click()
    says(bob, "#3 is in force")
    says(bob, "Restored 10")


def story(wh: Warehouse) -> list[str]:
    """What people did, from the audit chain, oldest first; equal neighbours, as in a bulk job, once.

    The dashboard replays each publication by itself, when it comes to it: those rows have no place of their own.
    """
    told = {line.split()[1] for line in STORY}
    rows = [row for row in audit.export(wh, principal=ADMIN) if row["action"] in told and row["actor"] != "ragsieve"]
    lines = [f"{row['actor']} {row['action']}" for row in rows]
    replays = [row for row in audit.export(wh, principal=ADMIN) if row["action"] == "canary_replayed"]
    assert {row["actor"] for row in replays} == {"ragsieve"}
    assert replays[-1]["sequence"] > rows[-1]["sequence"], "the roll-back was replayed, too"
    return [line for line, _ in groupby(lines)]
