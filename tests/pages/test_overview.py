"""The overview: the same counts as the warehouse, and what to do when there is nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.small_warehouse import CORPUS, Small
from warehouse.database import Warehouse
from warehouse.overview import overview
from warehouse.principal import local_principal

Open = Callable[..., AppTest]


def test_counts_are_those_of_the_warehouse(small: Small, request: pytest.FixtureRequest, open_page: Open) -> None:
    with Warehouse.open(small.path, command="test") as wh:
        counts = overview(wh, principal=local_principal())
    request.getfixturevalue("warehouse")
    page = open_page("overview")
    assert not page.exception
    shown = {metric.label: metric.value for metric in page.metric}
    assert shown["Documents"] == str(counts["documents"]) == "66"
    assert shown["Open alerts"] == str(counts["open_alerts"])
    assert shown["Retrieval events"] == str(counts["events"]) == "3"
    assert any(CORPUS in frame.value.to_string() for frame in page.dataframe)


def test_an_empty_warehouse_says_what_to_run(elsewhere: Path, open_page: Open, said: Callable[[AppTest], str]) -> None:
    Warehouse.open(elsewhere, command="test").close()
    page = open_page("overview")
    assert not page.exception
    assert "ragsieve ingest --corpus NAME DOCUMENTS.jsonl" in said(page)
