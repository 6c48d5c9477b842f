"""Evaluation: cells as the command gives them, one opened by the address, and what to do when there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.session import VARIABLE, close_warehouses
from tests.small_warehouse import CORPUS, Small
from tests.warehouses import copy_warehouse
from warehouse.database import Warehouse
from warehouse.labels import record_labels
from warehouse.principal import local_principal
from warehouse.records import LabelRecord

Open = Callable[..., AppTest]


@pytest.fixture
def labelled(small: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A labelled copy of the small warehouse."""
    target = copy_warehouse(small.path, tmp_path / "own.duckdb")
    with Warehouse.open(target, command="test") as wh:
        bad = [LabelRecord(CORPUS, f"plant-{n}", True, "fixture", "f", "q0", attack="<b>salad</b>") for n in range(6)]
        good = [LabelRecord(CORPUS, f"doc-{n:03d}", False, "fixture", "f") for n in range(60)]
        record_labels(wh, bad + good, principal=local_principal())
    monkeypatch.setenv(VARIABLE, str(target))
    yield target
    close_warehouses()


def test_a_cell_opens_from_its_address(labelled: Path, open_page: Open, said: Callable[[AppTest], str]) -> None:
    key = f"{CORPUS}~fixture-64~rsg/paper~<b>salad</b>"
    page = open_page("evaluation", population="injected", cell=key)
    assert not page.exception
    text = said(page)
    assert "n = 66 with 6 planted" in text
    assert "Missed documents" in text
    assert any("ragsieve evaluate" in code.value and "--population injected" in code.value for code in page.code)


def test_measures_and_populations(labelled: Path, open_page: Open) -> None:
    page = open_page("evaluation", measure="detection_at_0.05", population="retrieved")
    assert not page.exception
    assert page.selectbox(key="measure").value == "detection_at_0.05"
    page.selectbox(key="population").set_value("injected").run()
    assert page.query_params["population"] in ("injected", ["injected"])
    assert not page.exception


@pytest.mark.parametrize("query", [{"measure": "no"}, {"cell": "x~y"}, {"dataset": "no"}])
def test_a_broken_address_shows_the_page(query: dict[str, str], labelled: Path, open_page: Open) -> None:
    page = open_page("evaluation", **query)
    assert not page.exception


def test_without_labels_it_says_what_to_run(warehouse: Small, open_page: Open, said: Callable[[AppTest], str]) -> None:
    page = open_page("evaluation")
    assert not page.exception
    assert "ragsieve label" in said(page)
