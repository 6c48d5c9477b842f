"""Settings: every control changes the warehouse or is refused by name; numbers equal those of the warehouse."""

from __future__ import annotations

import time
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from app.components.settings.limits import LIMITS
from app.components.settings.retention import size
from app.session import desk
from ragsieve_core.models.inventory import ModelStatus
from ragsieve_core.review.approval import ReviewPolicy
from tests.pages.people import Shared
from tests.warehouse.desk import LOCAL
from warehouse.corpora import get_corpus
from warehouse.desk_policy import review_policy
from warehouse.policies import list_policies
from warehouse.provenance import risk_history, trust_history
from warehouse.roles import list_roles
from warehouse.tokens import authenticate, list_tokens

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
Become = Callable[[str], None]


def told(page: AppTest) -> str:
    return "\n".join(part.value for part in page.error)


def test_every_limit_has_words() -> None:
    assert set(LIMITS) == set(ReviewPolicy.__dataclass_fields__)


def test_admission_is_changed_by_an_admin_alone(desk_of_two: Shared, as_person: Become, open_page: Open) -> None:
    as_person("bob")
    page = open_page("settings")
    page.selectbox(key="admission_chosen").select("after_review").run()
    page.button(key="admission_go").click().run()
    assert "(`not_allowed`)" in page.error[0].value
    as_person("ada")
    page = open_page("settings")
    page.selectbox(key="admission_chosen").select("after_review").run()
    page.button(key="admission_go").click().run()
    assert not page.error
    assert get_corpus(desk().warehouse, "c", principal=LOCAL).admission == "after_review"


def limits(page: AppTest, **values: float) -> AppTest:
    for name, value in values.items():
        page.number_input(key=f"limit_{name}").set_value(value)
    page.text_input(key="limits_note").set_value("because")
    page.button(key="FormSubmitter:limits-Save the limits").click()
    return page.run()


def test_a_tighter_limit_is_in_force_a_looser_one_waits_for_another_admin(
    desk_of_two: Shared, as_person: Become, open_page: Open, said: Said
) -> None:
    as_person("ada")
    page = limits(open_page("settings"), alone_per_day=5)
    wh = desk().warehouse
    assert not page.exception
    assert "in force" in page.success[0].value
    assert review_policy(wh, principal=LOCAL).alone_per_day == 5
    page = limits(page, alone_contexts=30)
    assert "waits for another admin" in page.success[0].value
    assert review_policy(wh, principal=LOCAL).alone_contexts == 9
    page.button(key="policy_approve").click().run()
    assert "(`same_person`)" in page.error[0].value
    as_person("eve")
    page = open_page("settings")
    assert "Reach 30" in page.selectbox(key="policy_request").options[0]
    page.button(key="policy_approve").click().run()
    assert review_policy(wh, principal=LOCAL).alone_contexts == 30
    page = limits(page, sample_rate=2.0)
    assert "Nothing was changed" in page.error[0].value
    assert "sample_rate" in told(page)
    as_person("bob")
    page = limits(open_page("settings"), alone_per_day=1)
    assert "(`not_allowed`)" in page.error[0].value


def test_a_role_waits_for_another_admin_and_the_last_one_stays(
    desk_of_two: Shared, as_person: Become, open_page: Open, said: Said
) -> None:
    as_person("ada")
    page = open_page("settings", tab="Roles")
    page.text_input(key="role_identity").set_value("new@x.example")
    page.selectbox(key="role_role").select("reviewer")
    page.text_input(key="role_tenants").set_value("a, b").run()
    page.button(key="role_go").click().run()
    assert "waits for another admin" in page.success[0].value
    page.button(key="role_approve").click().run()
    assert "(`same_person`)" in page.error[0].value
    as_person("eve")
    page = open_page("settings", tab="Roles")
    page.button(key="role_approve").click().run()
    wh = desk().warehouse
    found = {row["identity"]: (row["role"], row["tenants"]) for row in list_roles(wh, principal=LOCAL)}
    assert found["new@x.example"] == ("reviewer", ["a", "b"])
    as_person("bob")
    page = open_page("settings", tab="Roles")
    assert "changed by an admin" in said(page)
    assert not [button for button in page.button if button.key == "role_go"]


def test_single_user_gives_the_first_role_at_once(desk_of_two: Shared, open_page: Open, said: Said) -> None:
    page = open_page("settings", tab="Roles")
    assert "Single-user mode" in said(page)
    page.text_input(key="role_identity").set_value("first@x.example")
    page.selectbox(key="role_role").select("admin").run()
    page.button(key="role_go").click().run()
    assert "in force" in page.success[0].value
    page.button(key="role_go").click().run()
    assert "no identity" in told(page)


def test_a_token_is_shown_once_and_revoked(desk_of_two: Shared, as_person: Become, open_page: Open, said: Said) -> None:
    as_person("ada")
    page = open_page("settings", tab="Tokens")
    page.text_input(key="token_name").set_value("scanner 1").run()
    page.button(key="token_go").click().run()
    secret = page.code[0].value
    wh = desk().warehouse
    assert authenticate(wh, secret, "ingest") is not None
    page.run()
    assert secret not in said(page)
    (row,) = list_tokens(wh, principal=LOCAL)
    assert page.dataframe[0].value["token"][0] == row["token_id"]
    page.button(key="token_revoke").click().run()
    assert authenticate(wh, secret, "ingest") is None
    assert page.dataframe[0].value["state"][0] == "revoked"
    page.button(key="token_go").click().run()
    assert "needs a name" in told(page)
    as_person("bob")
    page = open_page("settings", tab="Tokens")
    assert "by an admin" in said(page)
    assert len(page.button) == 0


def test_trust_and_risk(desk_of_two: Shared, as_person: Become, open_page: Open) -> None:
    as_person("bob")
    page = open_page("settings", tab="Trust and risk")
    page.text_input(key="trust_name").set_value("https://evil.example/")
    page.selectbox(key="trust_chosen").select("untrusted").run()
    page.button(key="trust_go").click().run()
    page.selectbox(key="risk_tier").select(3).run()
    page.button(key="risk_go").click().run()
    wh = desk().warehouse
    assert [(r["name"], r["trust"]) for r in trust_history(wh, "c", principal=LOCAL)] == [
        ("https://evil.example/", "untrusted")
    ]
    assert [r["tier"] for r in risk_history(wh, "c", principal=LOCAL)] == [3]
    page.text_input(key="risk_document").set_value("no such").run()
    page.button(key="risk_go").click().run()
    assert "no document" in told(page)
    as_person("cy")
    page = open_page("settings", tab="Trust and risk")
    page.button(key="trust_go").click().run()
    assert "(`not_allowed`)" in page.error[0].value


def test_documents_are_admitted(desk_of_two: Shared, open_page: Open) -> None:
    from warehouse.corpora import ensure_corpus

    open_page("settings")
    ensure_corpus(desk().warehouse, "c", principal=LOCAL, admission="after_review")
    page = open_page("settings", tab="Trust and risk")
    page.text_area(key="admit_documents").set_value("d0\n\nd1\n").run()
    page.button(key="admit_go").click().run()
    assert "2 documents are admitted" in page.success[0].value
    page.text_area(key="admit_documents").set_value("d9").run()
    page.button(key="admit_go").click().run()
    assert "no document" in told(page)


def test_models_say_what_is_missing_and_the_command(
    desk_of_two: Shared, open_page: Open, said: Said, monkeypatch
) -> None:
    rows = [
        ModelStatus("small", "retriever", "a/b", "/x", 1_000_000, "verified"),
        ModelStatus("big", "retriever", "c/d", "", 0, "missing", "get it: from the hub"),
    ]
    monkeypatch.setattr("app.components.settings.models.survey_models", lambda: rows)
    page = open_page("settings", tab="Models")
    page.button(key="models_go").click().run()
    desk().background.stop()
    time.sleep(0.1)
    page = open_page("settings", tab="Models")
    assert not page.exception
    shown = said(page)
    assert "n = 1 of 2 profiles" in shown
    assert "ragsieve models prepare --profile big --download" in shown
    assert "--profile small" not in shown


def test_retention_counts_bytes_and_collects(
    desk_of_two: Shared, as_person: Become, open_page: Open, said: Said
) -> None:
    as_person("ada")
    page = open_page("settings", tab="Retention")
    assert not page.exception
    frame = page.dataframe[0].value.set_index("part")
    wh = desk().warehouse
    assert frame.loc[wh.path.name, "bytes"] * 1e6 == wh.path.stat().st_size
    published = size(wh.side.folder("published"))
    assert frame.loc["published", "bytes"] * 1e6 == published
    page.button(key="gc_go").click().run()
    desk().background.stop()
    assert "Last time:" in said(open_page("settings", tab="Retention"))
    as_person("bob")
    page = open_page("settings", tab="Retention")
    page.button(key="gc_go").click().run()
    assert "(`not_allowed`)" in page.error[0].value


def test_threshold_versions_are_listed_and_approved_by_another(
    desk_of_two: Shared, as_person: Become, open_page: Open
) -> None:
    from ragsieve_core.policy import PolicyRule
    from warehouse.policies import save_policy
    from warehouse.roles import principal_for

    as_person("bob")
    open_page("settings")
    wh = desk().warehouse
    rule = PolicyRule(detector="rsq", rule="paper", moves={"eta_Q": 9.0})
    save_policy(wh, [rule], principal=principal_for(wh, "bob"), note="too many")
    page = open_page("settings")
    page.button(key="threshold_approve").click().run()
    assert "(`same_person`)" in page.error[0].value
    as_person("ada")
    page = open_page("settings")
    page.button(key="threshold_approve").click().run()
    assert not page.error
    assert [one.state for one in list_policies(wh, principal=LOCAL)] == ["in_force"]
