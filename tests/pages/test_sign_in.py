"""Who sees what: strangers only the sign-in page, people only their tenants, and refusals by name."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app import identity
from app.pages_map import names, page_file
from app.session import close_warehouses, desk
from tests.pages.people import Shared
from warehouse.quarantine import list_versions, propose
from warehouse.roles import principal_for, set_role

MAIN = Path(__file__).resolve().parents[2] / "app" / "main.py"
Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
Become = Callable[[str], None]


@pytest.fixture
def oidc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("RAGSIEVE_SIGN_IN", "oidc")
    monkeypatch.setenv("RAGSIEVE_OIDC_ISSUER", "https://id.example")
    monkeypatch.setenv("RAGSIEVE_OIDC_CLAIM", "sub")
    yield
    close_warehouses()


def signed(page: AppTest, who: str, **more: object) -> None:
    page.user["is_logged_in"] = True
    for name, value in {"iss": "https://id.example", "sub": who, "iat": time.time(), **more}.items():
        page.user[name] = value  # type: ignore[assignment]


def visit(name: str, who: str = "", **query: str) -> AppTest:
    page = AppTest.from_file(str(MAIN), default_timeout=60)
    if who:
        signed(page, who)
    page.run()
    page.switch_page(str(page_file(name)))
    for field, value in query.items():
        page.query_params[field] = value
    return page.run()


@pytest.mark.parametrize("name", names())
def test_a_stranger_sees_the_sign_in_page_alone(name: str, desk_of_two: Shared, oidc: None, said: Said) -> None:
    page = visit(name, alert=desk_of_two.alerts["d0"])
    assert not page.exception
    assert [title.value for title in page.title] == ["Sign in"]
    assert [button.label for button in page.button] == ["Sign in", "Try again"]
    assert page.dataframe == []  # type: ignore[comparison-overlap]
    assert "d0" not in said(page)


def test_a_signed_in_person_without_a_role_asks_an_admin(desk_of_two: Shared, oidc: None, said: Said) -> None:
    page = visit("queue", "nobody@x.example")
    assert [title.value for title in page.title] == ["Ask an admin"]
    assert "nobody@x.example" in page.text[0].value
    assert [button.label for button in page.button] == ["Sign out", "Try again"]


def test_a_sign_in_from_elsewhere_or_too_old_proves_nothing(desk_of_two: Shared, oidc: None) -> None:
    for change in ({"iss": "https://other.example"}, {"iat": time.time() - 13 * 3600}):
        page = AppTest.from_file(str(MAIN), default_timeout=60)
        signed(page, "ada", **change)
        page.run()
        assert [title.value for title in page.title] == ["Sign in"]


def test_the_role_of_the_warehouse_counts_and_ends_at_once(desk_of_two: Shared, oidc: None) -> None:
    page = visit("queue", "cy")
    assert [title.value for title in page.title] == ["Queue"]
    wh = desk_warehouse()
    set_role(wh, "cy", "none", principal=local(wh))
    page.run()
    assert [title.value for title in page.title] == ["Ask an admin"]


def desk_warehouse():
    from app.session import open_warehouse

    return open_warehouse()


def local(wh):
    from warehouse.principal import local_principal

    return local_principal()


def test_the_asked_page_comes_back_after_signing_in(
    desk_of_two: Shared, oidc: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity, "_browser", lambda: b"browser 1")
    visit("alert", alert=desk_of_two.alerts["d0"])
    # OpenID Connect ends at the bare address
    page = AppTest.from_file(str(MAIN), default_timeout=60)
    signed(page, "ada")
    page.run()
    assert not page.exception
    assert page.query_params["alert"] in (desk_of_two.alerts["d0"], [desk_of_two.alerts["d0"]])
    # Given once, and to that browser alone
    assert identity.kept_link(names()) is None
    visit("alert", alert=desk_of_two.alerts["d0"])
    monkeypatch.setattr(identity, "_browser", lambda: b"browser 2")
    assert identity.kept_link(names()) is None


def test_links_that_are_kept_are_few_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    browser = [b""]
    monkeypatch.setattr(identity, "_browser", lambda: browser[0])
    monkeypatch.setattr(identity, "_KEPT", 3)
    for number in range(5):
        browser[0] = str(number).encode()
        identity.keep_link("queue", {"search": str(number)}, names())
    browser[0] = b"0"
    assert identity.kept_link(names()) is None
    browser[0] = b"4"
    monkeypatch.setattr(identity, "_MINUTES", -1)
    assert identity.kept_link(names()) is None
    identity.keep_link("https://evil.example", {}, names())
    monkeypatch.setattr(identity, "_MINUTES", 30)
    assert identity.kept_link(names()) is None


def test_another_tenants_alert_does_not_exist(
    desk_of_two: Shared, as_person: Become, open_page: Open, said: Said
) -> None:
    as_person("val")
    page = open_page("alert", alert=desk_of_two.alerts["d2"])
    assert not page.exception
    assert [title.value for title in page.title] == ["No such alert"]
    # As a word: the id that was asked for may hold these letters
    assert re.search(r"\bd2\b", said(page)) is None
    unknown = open_page("alert", alert="alert_unknown")
    assert [title.value for title in unknown.title] == ["No such alert"]
    assert not open_page("alert", alert=desk_of_two.alerts["d0"]).title
    frame = open_page("queue").dataframe[0].value
    assert set(frame["document_id"]) == {"d0", "d1"}
    assert open_page("queue", search="d2").dataframe == []  # type: ignore[comparison-overlap]
    for name in ("neighbourhood", "replay", "quarantine", "overview"):
        found = open_page(name, alert=desk_of_two.alerts["d2"], document="d2")
        assert not found.exception
        shown = said(found).replace("No such", "")
        assert "d3" not in shown


def test_buttons_refused_by_role_say_so(desk_of_two: Shared, as_person: Become, open_page: Open, said: Said) -> None:
    as_person("ada")
    open_page("quarantine")
    here = desk()
    made = propose(
        here.warehouse, principal=principal_for(here.warehouse, "cy"), add=[desk_of_two.alerts["d0"]], note="x"
    )
    for who, word in (("val", "role approver"), ("cy", "role approver")):
        as_person(who)
        page = open_page("quarantine", version=made.quarantine_id)
        page.button(key="approve").click().run()
        assert not page.exception
        assert "(`not_allowed`)" in page.error[0].value
        assert word in page.error[0].value
    as_person("val")
    page = open_page("settings")
    page.button(key="admission_go").click().run()
    assert "(`not_allowed`)" in page.error[0].value
    assert [version.state for version in list_versions(here.warehouse, principal=here.principal)] == ["proposed"]


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("who", ["val", "cy"])
def test_every_page_opens_for_lesser_roles(
    name: str, who: str, desk_of_two: Shared, as_person: Become, open_page: Open
) -> None:
    as_person(who)
    page = open_page(name)
    assert not page.exception
    assert page.title or name == "alert"


def test_a_button_drawn_before_the_role_was_taken_away_does_nothing(
    desk_of_two: Shared, as_person: Become, open_page: Open
) -> None:
    as_person("bob")
    open_page("quarantine")
    wh = desk().warehouse
    made = propose(wh, principal=principal_for(wh, "cy"), add=[desk_of_two.alerts["d0"]])
    page = open_page("quarantine", version=made.quarantine_id)
    set_role(wh, "bob", "none", principal=local(wh))
    page.button(key="approve").click().run()
    assert [title.value for title in page.title] == ["Ask an admin"]
    assert [version.state for version in list_versions(wh, principal=local(wh))] == ["proposed"]
