"""Every page over the worst strings: inert, in its place, quick, and with the contrast and labels people need."""

from __future__ import annotations

import csv
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Error

from app.components.marks import is_hidden
from tests.axe import serious_findings
from tests.browser import Watch, browser_path, chromium, dashboard, settled, watch
from tests.hostile_desk import worsen
from tests.pages.test_browser import VIEWS, assert_quiet
from tests.small_warehouse import HOSTILE_ID, HOSTILE_WORDS, build

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
OF_DESK = [
    "/alert?alert={held}",
    "/alert?alert={held}&term=Ranking",
    "/alert?alert={decided}&term=Script",
    "/alert?alert={rsg}",
    "/neighbourhood?alert={rsg}",
    "/replay?event={event}",
    "/queue?tab=all&bulk=filter",
    "/queue?job={job}",
    "/ingest?tab=Scans+so+far",
    "/quarantine?tab=Holds",
    "/quarantine?tab=Index",
    "/settings?tab=Tokens",
    "/settings?tab=Trust+and+risk",
    "/alert?alert=%3Cimg+src=x+onerror=alert(1)%3E",
]
WIDTHS = (1024, 1280)
TABLES = [
    ("/queue?tab=all", "queue_csv", 6),
    ("/neighbourhood?alert={rsg}", "neighbourhood_csv", 6),
    ("/replay", "events_csv", 3),
    ("/replay?event={event}", "ranking_csv", 20),
    ("/alert?alert={held}", "history_csv", 2),
]
"""Address, key of the CSV button, and rows there must be."""
GROUNDS = {True: "rgb(18, 23, 29)", False: "rgb(255, 255, 255)"}
"""Background of the page by whether it is dark."""
MAIN = '[data-testid="stMainBlockContainer"]'
# What text could become where it is taken for HTML, Markdown, a formula or a directive
MADE = f"{MAIN} :is(img, script, iframe, object, embed, form, style, .katex, [onerror], a[href^='javascript'])"
MADE += f", {MAIN} a[href*='127.0.0.1:9']"
_OVERFLOW = """() => {
    const main = document.querySelector('[data-testid=stMain]');
    return [document.documentElement, main].map(part => part.scrollWidth - part.clientWidth);
}"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The warehouse and the ids that addresses need."""
    made = build(tmp_path_factory.mktemp("worst") / "w.duckdb", worst=True)
    return made.path, worsen(made.path, HOSTILE_ID)


@pytest.fixture(scope="module")
def names(desk: tuple[Path, dict[str, str]]) -> dict[str, str]:
    return desk[1]


@pytest.fixture(scope="module")
def url(desk: tuple[Path, dict[str, str]]) -> Iterator[str]:
    with dashboard(desk[0]) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if browser_path() is None:
        message = "no Chromium on this machine"
        if os.environ.get("CI") == "true":
            pytest.fail(message + "; CI must have it")
        pytest.skip(message)
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[Page]:
    """One window for all pages: what stays in it stays in a reviewer's window too."""
    context = browser.new_context(viewport={"width": WIDTHS[-1], "height": 900}, accept_downloads=True)
    yield context.new_page()
    context.close()


@pytest.fixture
def seen(window: Page) -> Iterator[Watch]:
    """What the window does in one test; no dialog may open in it."""
    dialogs: list[str] = []
    window.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    yield watch(window)
    assert dialogs == []


def test_the_worst_strings_break_no_page(url: str, names: dict[str, str], window: Page, seen: Watch) -> None:
    """One test for all views: split over processes it would build the warehouse once in each."""
    broken: dict[str, str] = {}
    for view in (*VIEWS, *OF_DESK):
        window.goto(url + view.format(**names))
        settled(window, still_ms=250)
        try:
            assert_unbroken(window, url)
            assert_quiet(window, seen, url)
        except AssertionError as error:
            broken[view] = str(error)[:2_000]
    assert broken == {}


def assert_unbroken(window: Page, url: str) -> None:
    """Inert, readable, and nothing wider than the window, in both widths."""
    assert_inert(window, url)
    assert_fits(window)
    # The other width, in which the next page is opened
    now = window.viewport_size
    width = next(one for one in WIDTHS if now is None or one != now["width"])
    window.set_viewport_size({"width": width, "height": 900})
    assert_fits(window)
    assert_readable(window)


def assert_fits(window: Page) -> None:
    """Neither the document nor its main part scrolls sideways; tables take a moment to follow a new width."""
    window.wait_for_timeout(100)
    with suppress(Error):
        window.wait_for_function(f"() => ({_OVERFLOW})().every(over => over === 0)", timeout=5_000)
    assert window.evaluate(_OVERFLOW) == [0, 0], window.viewport_size


def assert_inert(window: Page, url: str) -> None:
    """Nothing became markup, every link is the app's own, and what would hide or reorder text is a mark."""
    assert window.locator(MADE).count() == 0
    links = window.locator(f"{MAIN} a[href]").evaluate_all("links => links.map(link => new URL(link.href).origin)")
    assert set(links) <= {url}
    shown = window.locator(MAIN).inner_text() + window.title()
    # Names of Streamlit's icons are letters of a font's private area
    assert {c for c in shown if is_hidden(c) and not "\ue000" <= c <= "\uf8ff"} == set()


def assert_readable(window: Page) -> None:
    """axe-core finds nothing serious, in the other theme no contrast: the theme follows the system without a reload."""
    assert serious_findings(window) == []
    dark = window.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    window.emulate_media(color_scheme="light" if dark else "dark")
    window.wait_for_function(
        "ground => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor === ground",
        arg=GROUNDS[not dark],
    )
    # Colours fade over
    window.wait_for_timeout(200)
    assert serious_findings(window, "color-contrast") == [], "light" if dark else "dark"


def test_what_is_opened_is_as_inert_and_readable(url: str, names: dict[str, str], window: Page, seen: Watch) -> None:
    """Popovers, the sheet of keys, expanders, and a choice made among hostile names."""
    window.goto(f"{url}/queue?tab=all")
    settled(window)
    for place in range(window.locator('[data-testid="stPopover"] button').count()):
        window.locator('[data-testid="stPopover"] button').nth(place).click()
        window.locator('[data-testid="stPopoverBody"]').wait_for()
        checked(window, url)
        window.keyboard.press("Escape")
    window.keyboard.press("?")
    window.get_by_role("dialog").wait_for()
    checked(window, url)
    window.keyboard.press("Escape")
    for view in ("/alert?alert={held}", "/quarantine?version={version}"):
        window.goto(url + view.format(**names))
        settled(window)
        for summary in window.locator('[data-testid="stExpander"] summary').all():
            summary.click()
        settled(window)
        if "quarantine" in view:
            window.locator(".st-key-release_documents input").click()
            window.keyboard.press("Enter")
            settled(window)
            window.keyboard.press("Escape")
        checked(window, url)
    assert_quiet(window, seen, url)


def checked(window: Page, url: str) -> None:
    """Both at once, also where the part lies outside the page's own block."""
    window.wait_for_timeout(300)
    assert window.locator(MADE.replace(f"{MAIN} ", '[data-testid="stApp"] ~ *, [role="dialog"] ')).count() == 0
    assert_inert(window, url)
    assert_readable(window)


def test_charts_show_hostile_names_as_text(url: str, names: dict[str, str], window: Page, seen: Watch) -> None:
    for view in ("/neighbourhood?alert={rsg}", "/alert?alert={held}"):
        window.goto(url + view.format(**names))
        settled(window)
        box = window.locator("canvas, .js-plotly-plot").first.bounding_box()
        assert box is not None
        window.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
        window.wait_for_timeout(300)
        assert_inert(window, url)
    assert "plant-0<img" in window.locator(".js-plotly-plot").first.inner_text()
    # axe-core does not look into drawings
    for dark in (False, True):
        window.emulate_media(color_scheme="dark" if dark else "light")
        # A chart is drawn anew for the other theme
        for _ in range(20):
            window.wait_for_timeout(250)
            faint = [fill for fill in fills(window) if contrast(fill, GROUNDS[dark]) < 4.5]
            if not faint:
                break
        assert faint == []
    assert_quiet(window, seen, url)


def fills(window: Page) -> list[str]:
    """Colours of axes, titles, legends and notes of the charts; what is just being replaced has none."""
    found: list[str] = window.locator(".js-plotly-plot text:not(.textpoint)").evaluate_all(
        "texts => [...new Set(texts.map(text => getComputedStyle(text).fill))].filter(fill => fill.startsWith('rgb'))"
    )
    return found


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two ``rgb(…)`` colours, 1 to 21 (WCAG 2.2)."""
    low, high = sorted(map(_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_hidden_characters_are_marks(url: str, names: dict[str, str], window: Page) -> None:
    window.goto(url + "/alert?alert={decided}&term=Script".format(**names))
    settled(window)
    text = window.locator(f"{MAIN} pre").first
    assert "\u27e6U+0301\u27e7 \u00d7 9,996" in text.inner_text()
    assert "\u27e6U+0301\u27e7 \u00d7" in window.locator(f"{MAIN} h1").inner_text()
    # Four lines would be drawn over if the marks were stacked
    high = window.locator(f"{MAIN} h1").evaluate("heading => heading.getBoundingClientRect().height")
    assert high < 120
    mark = text.locator("[data-times]").first
    assert mark.get_attribute("title") == "U+0301 COMBINING ACUTE ACCENT"
    assert mark.evaluate("mark => getComputedStyle(mark).borderTopWidth") == "1px"
    window.goto(url + "/replay?event={event}".format(**names))
    settled(window)
    heading = window.locator(f"{MAIN} h1").inner_text()
    for name in ("U+202E RLO", "U+200B ZWSP", "U+0007", "U+0000 NUL"):
        assert f"\u27e6{name}\u27e7" in heading


def test_a_line_of_a_megabyte_is_drawn_in_three_seconds(url: str, names: dict[str, str], window: Page) -> None:
    """Or, on a machine that is busy with other things, in hardly more time than a text of 50 words."""
    took = {}
    for name in ("in_force", "held"):
        window.goto(f"{url}/alert?alert={names[name]}")
        settled(window)
        took[name] = min(reloaded(window) for _ in range(2))
    assert "xxxxxxxx" in window.locator(MAIN).inner_text()
    assert took["held"] < max(3.0, 1.7 * took["in_force"])


def reloaded(window: Page) -> float:
    """Seconds of a reload; `settled` itself waits 0.7 s for charts to stand still."""
    started = time.monotonic()
    window.reload()
    settled(window)
    return time.monotonic() - started - 0.7


def test_tables_open_harmless_in_a_spreadsheet(url: str, names: dict[str, str], window: Page, seen: Watch) -> None:
    for view, key, least in TABLES:
        window.goto(url + view.format(**names))
        settled(window, still_ms=250)
        with window.expect_download() as waiting:
            window.locator(f".st-key-{key} button:visible").first.click()
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*\.csv", waiting.value.suggested_filename)
        with open(waiting.value.path(), encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        assert len(rows) >= least, view
        cells = [cell for row in rows for cell in row.values() if cell]
        assert [cell for cell in cells if cell[0] in "=+@\t\r\n" or (cell[0] == "-" and not number(cell))] == []
        assert [cell for cell in cells if any(map(is_hidden, cell))] == []
        assert any("<img" in cell or cell.startswith("'") for cell in cells), view
    assert_quiet(window, seen, url)


def number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_hostile_input_is_shown_as_it_is(url: str, window: Page, seen: Watch, tmp_path: Path) -> None:
    """A name that somebody types, told back in a message; a file whose name, columns and rows are hostile."""
    window.goto(f"{url}/queue")
    settled(window)
    window.get_by_role("button", name="Views").click()
    window.get_by_label("Keep this view as").fill("![x](http://127.0.0.1:9/k.png)<img src=x onerror=alert(1)>")
    window.get_by_role("button", name="Keep", exact=True).click()
    settled(window)
    window.locator('[data-testid="stAlertContentSuccess"]', has_text="![x](http").wait_for()
    assert_inert(window, url)
    file = tmp_path / "![x](a)<img src=x onerror=alert(1)>\u202e.csv"
    with open(file, "w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(
            [["id", "text", HOSTILE_WORDS[:-1]], ["=1", HOSTILE_WORDS[:-1], "x"], ["", "", ""]]
        )
    window.goto(f"{url}/ingest")
    settled(window)
    window.locator('input[type="file"]').set_input_files(file)
    window.get_by_text("would be taken").first.wait_for()
    settled(window)
    assert window.locator(MADE).count() == 0
    assert_quiet(window, seen, url)


def test_claim_to_verdict_by_keyboard_alone(url: str, window: Page, seen: Watch) -> None:
    window.goto(f"{url}/queue")
    settled(window)
    window.keyboard.press("n")
    window.wait_for_url("**/alert?alert=*")
    settled(window)
    before = window.url
    window.keyboard.press("k")
    window.get_by_label("Note", exact=True).wait_for()
    window.keyboard.press("w")
    window.keyboard.type("what of the source?")
    assert focused(window) == "Note"
    assert window.get_by_role("dialog").count() == 0
    window.keyboard.press("Shift+Tab")
    assert focused(window).endswith("Reason")
    for _ in range(2):
        window.keyboard.press("Tab")
    assert "Save and next" in focused(window)
    window.keyboard.press("Tab")
    window.keyboard.press("Enter")
    settled(window)
    window.locator('[data-testid="stAlertContentSuccess"]', has_text="Saved: decided: keep").wait_for()
    assert window.url == before
    window.keyboard.press("u")
    window.locator('[data-testid="stAlertContentSuccess"]', has_text="Undone").wait_for()
    assert_quiet(window, seen, url)


def focused(window: Page) -> str:
    """What has the focus, by the name that a screen reader says."""
    said: Any = window.evaluate(
        "() => document.activeElement.getAttribute('aria-label') || document.activeElement.innerText"
    )
    return str(said)
