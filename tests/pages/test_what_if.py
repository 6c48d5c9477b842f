"""What-if: numbers equal the command's, the address holds the setting, a saved policy is in force."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.services import weighing
from app.services.whatif_setting import Setting
from app.session import VARIABLE, close_warehouses, desk
from tests.small_warehouse import CORPUS, Small
from tests.warehouses import copy_warehouse
from warehouse.database import Warehouse
from warehouse.policies import current_policy, list_policies
from warehouse.principal import local_principal
from warehouse.whatif import rules_used

Open = Callable[..., AppTest]


@pytest.fixture
def own(small: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the small warehouse that a test may change."""
    target = copy_warehouse(small.path, tmp_path / "own.duckdb")
    monkeypatch.setenv(VARIABLE, str(target))
    yield target
    close_warehouses()


def numbers(page: AppTest) -> dict[str, tuple[str, str]]:
    frame = page.dataframe[0].value
    return {row["measure"]: (row["in_force"], row["proposed"]) for _, row in frame.iterrows()}


def test_numbers_are_those_of_the_command(small: Small, request: pytest.FixtureRequest, open_page: Open) -> None:
    with Warehouse.open(small.path, command="test") as wh:
        setting = Setting("rsq", "paper", CORPUS, moves={"eta_Q": 2.0})
        found = weighing.report(wh, setting, principal=local_principal())
    request.getfixturevalue("warehouse")
    page = open_page("what_if", corpus=CORPUS, eta_Q="2.0")
    assert not page.exception
    shown = numbers(page)
    assert shown["Candidates flagged"] == (str(found["in_force"]["flagged"]), str(found["proposed"]["flagged"]))
    assert shown["Queries touched"][1] == str(found["proposed"]["touched"])
    assert {metric.label: metric.value for metric in page.metric}["No longer flagged"] == str(found["released"])
    assert page.slider(key="eta_Q").value == 2.0
    assert any("--set eta_Q=2" in code.value for code in page.code)


def test_a_moved_slider_is_in_the_address(warehouse: Small, open_page: Open) -> None:
    page = open_page("what_if", corpus=CORPUS)
    page.slider(key="eta_Q").set_value(0.5).run()
    assert not page.exception
    assert page.query_params["eta_Q"] in ("0.5", ["0.5"])
    page.button[0].click().run()
    assert "eta_Q" not in page.query_params


ADDRESSES = [
    {"detector": "rsg", "rule": "paper", "density_cut": "0.3", "k_G": "4"},
    {"detector": "rsg"},
    {"eta_Q": "nan"},
    {"eta_Q": "inf"},
    {"eta_Q": "x", "corpus": "no"},
    {"rule": "no"},
]


@pytest.mark.parametrize("query", ADDRESSES, ids=str)
def test_any_address_shows_a_page(query: dict[str, str], warehouse: Small, open_page: Open) -> None:
    page = open_page("what_if", **query)
    assert not page.exception


def test_a_saved_policy_is_in_force_and_an_address_saves_nothing(
    own: Path, open_page: Open, said: Callable[[AppTest], str]
) -> None:
    page = open_page("what_if", corpus=CORPUS, eta_Q="0.6")
    here = desk()
    assert list_policies(here.warehouse, principal=here.principal) == []
    page.text_input(key="policy_note").set_value("more caution")
    save = next(button for button in page.button if button.label == "Save policy")
    save.click().run()
    assert not page.exception
    current = current_policy(here.warehouse, principal=here.principal)
    assert current is not None
    assert current.note == "more caution"
    assert dict(current.rules[0].moves) == {"eta_Q": 0.6}
    assert "eta_Q" not in page.query_params
    assert current.policy_id in said(page)
    assert page.slider(key="eta_Q").value == 0.6
    # And back to the rules as published, as a new version
    page.button(key="policy_rollback").click().run()
    assert not page.exception
    back = current_policy(here.warehouse, principal=here.principal)
    assert back is not None
    assert (back.sequence, back.rules, back.parent_id) == (2, (), current.policy_id)
    assert page.slider(key="eta_Q").value == 1.0


def test_an_empty_warehouse_says_what_to_run(elsewhere: Path, open_page: Open, said: Callable[[AppTest], str]) -> None:
    Warehouse.open(elsewhere, command="test").close()
    page = open_page("what_if")
    assert not page.exception
    assert "ragsieve ingest" in said(page)


def test_the_page_and_the_command_begin_with_the_rule_used_last(
    own: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Events under `calibrated`, later than those under `paper`: that is what a desk looks at."""
    with Warehouse.open(own, command="test") as wh, wh.transaction() as cursor:
        cursor.execute(
            "UPDATE retrieval_events SET rule = 'calibrated' "
            "WHERE event_id = (SELECT min(event_id) FROM retrieval_events)"
        )
    with Warehouse.open(own, command="test") as wh:
        assert sorted(rules_used(wh, CORPUS, "rsq", principal=local_principal())) == ["calibrated", "paper"]
        with wh.transaction() as cursor:
            cursor.execute(
                "UPDATE retrieval_events SET occurred_at = occurred_at + INTERVAL 1 DAY WHERE rule = 'calibrated'"
            )
        found = weighing.report(wh, Setting("rsq", "", CORPUS), principal=local_principal())
        assert found["rule"] == "calibrated"
        assert "--rule calibrated" in found["command"]
    page = open_page("what_if", corpus=CORPUS)
    assert not page.exception
    assert page.selectbox(key="rule").value == "calibrated"
    assert numbers(page)["Candidates flagged"][0] == str(found["in_force"]["flagged"])
    page = open_page("what_if", corpus=CORPUS, rule="paper")
    assert page.selectbox(key="rule").value == "paper"
