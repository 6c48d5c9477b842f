"""Two versions over all stored queries on the replay page, and of one query side by side."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.components.replay.comparison import task_name
from app.services import console_models
from app.services.comparing import NONE, Version, Wanted, compared
from app.services.comparison_report import queries_page, report
from app.session import VARIABLE, close_warehouses, desk
from ragsieve_core.policy import PolicyRule
from tests.app.services.conftest import StandIns
from tests.small_warehouse import CORPUS, Small
from warehouse.database import Warehouse
from warehouse.policies import save_policy
from warehouse.principal import Principal, local_principal
from warehouse.quarantine import propose, publish_version

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
NOTE = "![x](http://127.0.0.1:9/p.png)<img src=x>\u202e"


@pytest.fixture
def versions(small: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """A copy of the small warehouse with a quarantine version in force, and a policy that flags nobody; their ids."""
    target = tmp_path / "own.duckdb"
    shutil.copyfile(small.path, target)
    shutil.copytree(f"{small.path}.d", f"{target}.d")
    with Warehouse.open(target, command="test") as wh:
        who = local_principal()
        version = propose(wh, principal=who, add=(small.rsq_alert,), note=NOTE)
        publish_version(wh, version.quarantine_id, principal=who)
        policy = save_policy(wh, [PolicyRule("rsq", "paper", {"eta_Q": 50.0})], principal=who, note=NOTE)
    monkeypatch.setenv(VARIABLE, str(target))
    monkeypatch.setenv("RAGSIEVE_CANARY_PROFILE", "none")
    yield version.quarantine_id, policy.policy_id
    close_warehouses()


def test_numbers_are_those_of_the_service(versions: tuple[str, str], open_page: Open, said: Said) -> None:
    page = open_page("replay", view="compare", corpus=CORPUS, a="none", b="none", pb=versions[1])
    assert not page.exception
    done = compared(
        desk().warehouse, Wanted(CORPUS, Version(NONE), Version(NONE, versions[1])), principal=local_principal()
    )
    found = report(done)
    shown = {metric.label: metric.value for metric in page.metric}
    assert found["changed"] == 3
    assert shown["Final context differs"] == "3 of 3 (100.0%)"
    assert shown["Documents that enter"] == str(found["entering"])
    assert shown["Documents that leave"] == str(found["leaving"])
    assert shown["Not compared"] == "0 of 3"
    frames = [frame.value for frame in page.dataframe]
    (queries,) = [frame for frame in frames if "state_a" in frame]
    assert list(queries["event_id"]) == [row["event_id"] for row in queries_page(done, "changed")[0]]
    (moved,) = [frame for frame in frames if "document_id" in frame]
    assert list(moved["enters"]) == [row["enters"] for row in found["documents"]]
    words = said(page)
    assert f"--policy-b {versions[1]}" in words
    assert "\u202e" not in words


def test_one_query_side_by_side(versions: tuple[str, str], open_page: Open, said: Said) -> None:
    """Under B one planted document is out, so nineteen are left: too few to be scored, answered as they stand."""
    wanted = Wanted(CORPUS, Version(NONE), Version(versions[0]))
    with_desk = open_page("replay", view="compare", a="none", b=versions[0])
    done = compared(desk().warehouse, wanted, principal=local_principal())
    rows, _ = queries_page(done, "")
    row = next(r for r in rows if r["state_b"] == "tail_too_short")
    assert not with_desk.exception
    page = open_page("replay", view="compare", a="none", b=versions[0], event=row["event_id"])
    assert not page.exception
    words = said(page)
    assert words.count("out: quarantine") == 1
    assert "tail too short" in words
    assert "<img" not in words.replace("&lt;img", "")
    assert "\u202e" not in words
    # The note of a version is text wherever it stands
    assert not any("127.0.0.1:9" in str(part.value) for part in (*page.markdown, *page.caption))
    (table,) = [frame.value for frame in page.dataframe if "place_a" in frame.value]
    assert {"out before RSQ"} <= set(table["out_b"])


def test_what_stored_scores_cannot_answer_is_scored_beside_the_page(
    versions: tuple[str, str], open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console_models, "open_models", lambda profile: StandIns())
    monkeypatch.setattr(console_models, "_held", {})
    page = open_page("replay", view="compare", a="none", b="none", rb="calibrated")
    assert {m.label: m.value for m in page.metric}["Not compared"] == "3 of 3"
    page.button(key="compare_score").click().run()
    here = desk()
    deadline = time.monotonic() + 30
    while here.background.task(task_name(here.principal)).state == "running" and time.monotonic() < deadline:
        time.sleep(0.02)
    page.run()
    assert not page.exception
    assert {m.label: m.value for m in page.metric}["Not compared"] == "0 of 3"
    assert any("3 rankings were scored" in box.value for box in page.success)


def test_a_viewer_reads_and_scores_nothing(
    versions: tuple[str, str], open_page: Open, become: Callable[[Principal], None]
) -> None:
    become(Principal("vic", "viewer"))
    page = open_page("replay", view="compare", a="none", b="none", rb="calibrated")
    assert not page.exception
    assert not [button for button in page.button if button.key == "compare_score"]
    assert any("needs the role reviewer" in caption.value for caption in page.caption)


@pytest.mark.parametrize(
    "query",
    [
        {"a": "quar_nope", "b": "<b>", "pa": "x", "ra": "y"},
        {"corpus": "nope", "source": "z", "scored_by": "z", "show": "z", "rows": "7", "page": "-1"},
        {"page": "99999", "show": "all", "rows": "25"},
        {"condition": "' OR 1=1 --"},
    ],
)
def test_a_broken_address_shows_the_page(query: dict[str, str], versions: tuple[str, str], open_page: Open) -> None:
    page = open_page("replay", view="compare", **query)
    assert not page.exception


def test_an_event_of_others_is_a_page_not_an_error(warehouse: Small, open_page: Open) -> None:
    page = open_page("replay", view="compare", event="event_nope")
    assert not page.exception
    assert page.title[0].value == "No such event"
