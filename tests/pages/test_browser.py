"""The real server in a real browser: queue to alert, nothing leaves this machine, hostile text is inert."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.charts.graph_layout import distance, radial
from app.charts.neighbour_graph import BOTTOM, SIDES, TOP, Ring, neighbour_graph
from app.components.neighbourhood import around_document
from tests.browser import Watch, dashboard, need_chromium, one_person, settled, watch
from tests.small_warehouse import HOSTILE_SOURCE, HOSTILE_TITLE, Small, build
from warehouse.alerts import alert_detail
from warehouse.database import Warehouse
from warehouse.principal import local_principal

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.browser
VIEWS = [
    "/overview",
    "/queue",
    "/queue?detector=rsg&sort=score&order=asc&rows=25",
    "/alert",
    "/neighbourhood",
    "/replay",
    "/replay?flagged=yes&sort=state",
    "/replay?view=ask",
    "/replay?view=compare&a=none&show=all",
    "/ingest",
    "/ingest?tab=Jobs",
    "/audit?action=scanned",
    "/what_if",
    "/evaluation",
    "/quarantine",
    "/quarantine?tab=Propose",
    "/quarantine?tab=Released",
    "/blind",
    "/blind?tab=How+good+is+the+review",
    "/settings",
    "/settings?tab=Roles",
    "/settings?tab=Retention",
    "/",
]
SIDE = 620
TERMS = ["Answer anchors", "Script", "Surprisal", "Alignment", "Ranking"]


@pytest.fixture(scope="module")
def url(small: Small) -> Iterator[str]:
    with dashboard(small.path) as found:
        yield found


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    need_chromium()
    with one_person(tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    found = context.new_page()
    yield found
    found.close()


def assert_quiet(page: Page, seen: Watch, url: str) -> None:
    """Nothing left this machine, nothing failed, no exception box, no error box."""
    assert seen.foreign(url) == []
    # On a deep link Streamlit first asks below the page's own path; that is its search for the server, and answered 404
    unexpected = [name for name in seen.failed if not name.endswith(("/_stcore/health", "/_stcore/host-config"))]
    assert unexpected == []
    probes = [text for text in seen.errors if "404" in text]
    assert len(probes) <= len(seen.failed)
    assert [text for text in seen.errors if text not in probes] == []
    assert page.locator('[data-testid="stException"]').count() == 0
    assert page.locator('[data-testid="stAlertContentError"]').count() == 0


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_from_its_address_and_after_reload(view: str, url: str, page: Page) -> None:
    seen = watch(page)
    page.goto(url + view)
    settled(page)
    before = page.url
    page.reload()
    settled(page)
    assert page.url == before
    assert_quiet(page, seen, url)


def test_queue_leads_to_the_alert_and_back_to_the_same_view(small: Small, url: str, page: Page) -> None:
    seen = watch(page)
    page.goto(f"{url}/queue?detector=rsq&search={small.hostile_document}")
    settled(page)
    table = page.locator('[data-testid="stDataFrame"]').first.bounding_box()
    assert table is not None
    # The first button stands in the pinned second column, after the ticks and under the header row
    page.mouse.click(table["x"] + 110, table["y"] + 50)
    page.wait_for_url("**/alert?alert=*")
    settled(page)
    assert small.rsq_alert in page.url
    page.get_by_role("link", name="Queue").last.click()
    page.wait_for_url("**/queue?*")
    assert "detector=rsq" in page.url
    assert f"search={small.hostile_document}" in page.url
    assert_quiet(page, seen, url)


@pytest.mark.parametrize("term", TERMS)
def test_every_term_opens_from_its_address(term: str, small: Small, url: str, page: Page) -> None:
    seen = watch(page)
    page.goto(f"{url}/alert?alert={small.rsq_alert}&term={term}")
    settled(page)
    assert page.get_by_role("tab", name=term).get_attribute("aria-selected") == "true"
    assert_quiet(page, seen, url)


def test_hostile_text_is_shown_and_inert(small: Small, url: str, page: Page) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    for alert in (small.rsq_alert, small.rsg_alert):
        seen = watch(page)
        page.goto(f"{url}/alert?alert={alert}")
        settled(page)
        main = page.locator('[data-testid="stMainBlockContainer"]')
        assert HOSTILE_TITLE.replace("\u202e", "⟦U+202E RLO⟧") in main.inner_text()
        assert main.locator("img, script, iframe, form, a[href^='javascript']").count() == 0
        # The only links are the app's own
        links = main.locator("a[href]").evaluate_all("links => links.map(link => new URL(link.href).origin)")
        assert set(links) == {url}
        assert page.locator("pre").first.evaluate("node => getComputedStyle(node).unicodeBidi") == "plaintext"
        assert_quiet(page, seen, url)
    assert dialogs == []


def test_a_click_in_the_graph_reads_the_document(small: Small, url: str, page: Page, tmp_path: Path) -> None:
    name, x, y = place_of_a_neighbour(tmp_path)
    seen = watch(page)
    page.goto(f"{url}/neighbourhood?alert={small.rsg_alert}")
    settled(page)
    chart = page.locator('[data-testid="stEchartsChart"] canvas, canvas').first.bounding_box()
    assert chart is not None
    page.mouse.click(chart["x"] + x * chart["width"], chart["y"] + y * chart["height"])
    page.locator('[data-testid="stMainBlockContainer"] code', has_text=name).first.wait_for()
    settled(page)
    assert_quiet(page, seen, url)


def place_of_a_neighbour(folder: Path) -> tuple[str, float, float]:
    """Id of the alert's farthest neighbour and where it is drawn, as shares of width and height, in an equal warehouse.

    The dashboard owns the one that is shown, so a second one is made from the same seed.
    """
    twin = build(folder / "twin.duckdb")
    me = local_principal()
    with Warehouse.open(twin.path, command="test") as wh:
        found = alert_detail(wh, twin.rsg_alert, principal=me)
        around = around_document(wh, found, principal=me)
    subject = int(found.alert["version_id"])
    near = {e.one + e.other - subject: e.cosine for e in around.edges if subject in (e.one, e.other)}
    places = radial(subject, near, around.groups)
    made = neighbour_graph(around.nodes, (), places, [Ring("floor", distance(found.scores[0]["floor"]))])
    far = min(near, key=lambda node: near[node])
    side, across = made["xAxis"]["max"], SIDE - 2 * SIDES
    x = (SIDES + (places[far][0] / side + 1) / 2 * across) / SIDE
    y = (TOP + (1 - places[far][1] / side) / 2 * (SIDE - TOP - BOTTOM)) / SIDE
    return around.rows[far]["document_id"], x, y


def test_a_moved_filter_is_in_the_address_and_the_back_button_undoes_it(url: str, page: Page) -> None:
    page.goto(url + "/queue")
    settled(page)
    page.get_by_label("Document id contains").fill("plant-5")
    page.keyboard.press("Enter")
    page.wait_for_url("**/queue?search=plant-5")
    settled(page)
    assert "n = 2 alerts" in page.locator('[data-testid="stMainBlockContainer"]').inner_text()
    page.reload()
    settled(page)
    assert "n = 2 alerts" in page.locator('[data-testid="stMainBlockContainer"]').inner_text()


def test_csv_of_the_queue_opens_harmless(small: Small, url: str, page: Page) -> None:
    seen = watch(page)
    page.goto(f"{url}/queue?search={small.hostile_document}")
    settled(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV").click()
    with open(waiting.value.path(), encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["document_id"] for row in rows] == [small.hostile_document] * 2
    assert rows[0]["source_uri"] == "'" + HOSTILE_SOURCE
    assert "⟦U+202E RLO⟧" in rows[0]["title"]
    assert_quiet(page, seen, url)
