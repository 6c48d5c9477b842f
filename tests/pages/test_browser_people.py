"""Two people in a browser behind a sign-in proxy: who proposed cannot approve, the second can, nobody else sees."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser import dashboard, settled, watch
from tests.pages.people import SECRET, Shared, shared
from tests.warehouse.desk import BOB, version
from warehouse.database import Warehouse
from warehouse.decisions import decide

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
Enter = Callable[[str], "Page"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Shared]]:
    """A shared warehouse behind proxy sign-in; bob has decided d0 and d2, nothing is in force."""
    made = shared(tmp_path_factory.mktemp("people") / "w.duckdb")
    with Warehouse.open(made.path, command="test") as wh:
        for name in ("d0", "d2"):
            alert = made.alerts[name]
            decide(wh, alert, version(wh, alert), principal=BOB, verdict="quarantine", reason="true_positive")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGSIEVE_SIGN_IN", "proxy")
        patch.setenv("RAGSIEVE_PROXY_SECRET", SECRET)
        patch.setenv("RAGSIEVE_CANARY_PROFILE", "none")
        with dashboard(made.path) as url:
            yield url, made


@pytest.fixture
def enter(browser: Browser, served: tuple[str, Shared]) -> Iterator[Enter]:
    """A page of somebody, in a browser of their own, with the headers that the proxy adds."""
    contexts = []

    def become(name: str) -> Page:
        headers = {"X-Ragsieve-Proxy-Secret": SECRET, **({"X-Forwarded-User": name} if name else {})}
        context = browser.new_context(viewport={"width": 1440, "height": 900}, extra_http_headers=headers)
        contexts.append(context)
        return context.new_page()

    yield become
    for context in contexts:
        context.close()


def main_text(page: Page) -> str:
    return page.locator('[data-testid="stMainBlockContainer"]').inner_text()


def test_without_the_proxy_there_is_nothing(served: tuple[str, Shared]) -> None:
    url, _ = served
    for headers in ({}, {"X-Forwarded-User": "ada"}, {"X-Ragsieve-Proxy-Secret": "x" * 20, "X-Forwarded-User": "ada"}):
        for path in ("/", "/queue", "/_stcore/host-config", "/media/x"):
            connection = http.client.HTTPConnection(url.removeprefix("http://"))
            connection.request("GET", path, headers=headers)
            assert connection.getresponse().status == 403, (headers, path)


def test_nobody_and_no_role_see_a_page_of_their_own(enter: Enter, served: tuple[str, Shared]) -> None:
    url, made = served
    link = f"{url}/alert?alert={made.alerts['d0']}"
    for name, title in (("", "Sign in"), ("mallory", "Ask an admin")):
        page = enter(name)
        seen = watch(page)
        page.goto(link)
        settled(page)
        assert title in main_text(page)
        assert "d0" not in main_text(page)
        assert page.locator('[data-testid="stSidebarNav"]').count() == 0
        # The link is still there for when the sign-in succeeds
        assert page.url == link
        assert seen.foreign(url) == []


def test_the_proposer_cannot_approve_and_the_second_person_can(enter: Enter, served: tuple[str, Shared]) -> None:
    url, made = served
    bob = enter("bob")
    seen = watch(bob)
    bob.goto(f"{url}/quarantine?tab=Propose")
    settled(bob)
    assert "bob (approver)" in main_text(bob)
    bob.get_by_role("button", name="Propose a version").click()
    bob.wait_for_url("**/quarantine*version=quar_*")
    settled(bob)
    assert "#1 is proposed" in main_text(bob)
    bob.get_by_role("button", name="Approve", exact=True).click()
    bob.get_by_text("Nothing was changed").wait_for()
    assert "same_person" in main_text(bob)
    assert "waits for approval" in main_text(bob)
    ada = enter("ada")
    ada.goto(bob.url)
    settled(ada)
    assert "ada (admin)" in main_text(ada)
    ada.get_by_role("button", name="Approve", exact=True).click()
    ada.get_by_text("#1 is in force").wait_for()
    ada.locator("strong", has_text="Verified absent 3").wait_for(timeout=30_000)
    assert seen.foreign(url) == []
    # A download runs in a thread of no session, and is still hers
    ada.goto(f"{url}/quarantine?tab=Index")
    settled(ada)
    with ada.expect_download() as waiting:
        ada.get_by_role("button", name="JSON Lines").click()
    # This browser leaves the headers of the proxy out of a download, so that it is fetched by hand
    address = waiting.value.url
    connection = http.client.HTTPConnection(url.removeprefix("http://"))
    connection.request("GET", address.removeprefix(url), headers={"X-Ragsieve-Proxy-Secret": SECRET})
    lines = connection.getresponse().read().decode().splitlines()
    assert [json.loads(line)["document_id"] for line in lines] == ["d0", "d2"]
    val = enter("val")
    val.goto(f"{url}/alert?alert={made.alerts['d2']}")
    settled(val)
    assert "No such alert" in main_text(val)
    val.goto(bob.url)
    settled(val)
    assert "d2" not in main_text(val)
    val.goto(f"{url}/settings?tab=Roles")
    settled(val)
    assert "read and changed by an admin" in main_text(val)


def test_afterwards_the_warehouse_says_the_same(served: tuple[str, Shared]) -> None:
    from app.services.owner_jobs import run_job

    _, made = served
    found = run_job(made.path, "quarantine", {}, command="quarantine list", say=lambda _: None)
    (row,) = found["versions"]
    assert (row["state"], row["author"], row["approved_by"], row["members"]) == ("in_force", "bob", "ada", 2)
