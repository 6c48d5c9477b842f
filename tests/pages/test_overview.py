"""The overview: the same counts as the warehouse, and what to do when there is nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.session import desk
from ragsieve_core.formats.records import RecordBatchColumns
from tests.small_warehouse import CORPUS, Small
from warehouse.database import Warehouse
from warehouse.inbox import read_receipt, submit
from warehouse.overview import overview
from warehouse.principal import local_principal
from warehouse.segment_kinds import documents_segment

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


def test_the_inbox_and_what_is_in_force(elsewhere: Path, open_page: Open, said: Callable[[AppTest], str]) -> None:
    """A segment of another process is taken in by the thread of the dashboard, and counted; so is a refused one."""
    Warehouse.open(elsewhere, command="test").close()
    open_page("overview")
    good = submit(elsewhere, documents_segment("c", [RecordBatchColumns(id=["a"], text=["t"])]))
    bad = submit(elsewhere, b"no segment")
    deadline = time.monotonic() + 20
    while not (read_receipt(elsewhere, good) and read_receipt(elsewhere, bad)) and time.monotonic() < deadline:
        time.sleep(0.05)
    page = open_page("overview")
    assert not page.exception
    shown = {metric.label: metric.value for metric in page.metric}
    assert (shown["Inbox waiting"], shown["Taken in"], shown["Refused"], shown["Publication"]) == ("0", "1", "1", "1")
    assert "0 documents quarantined, 0 on hold" in said(page)


def test_a_problem_of_the_inbox_is_shown(elsewhere: Path, open_page: Open, said: Callable[[AppTest], str]) -> None:
    Warehouse.open(elsewhere, command="test").close()
    open_page("overview")
    inbox = desk().inbox
    inbox.stop()
    inbox.problem = "the disk is full ![x](http://127.0.0.1:9/p.png)"
    text = said(open_page("overview"))
    assert "The inbox cannot be taken in" in text
    assert "`the disk is full ![x](http://127.0.0.1:9/p.png)`" in text
    inbox.problem = ""
    assert "The inbox has stopped" in said(open_page("overview"))
