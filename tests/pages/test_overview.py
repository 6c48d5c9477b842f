"""The overview: the same counts as the warehouse, and what to do when there is nothing."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.session import close_warehouses, desk
from ragsieve_core.formats.records import RecordBatchColumns
from tests.reviewed_warehouse import Reviewed
from tests.small_warehouse import CORPUS, Small
from warehouse.database import Warehouse
from warehouse.inbox import read_receipt, submit
from warehouse.overview import overview
from warehouse.overview_figures import overview_figures
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


def test_screen_command_and_sql_say_the_same(
    reviewed: Reviewed, open_page: Open, said: Callable[[AppTest], str]
) -> None:
    close_warehouses()
    command = [sys.executable, "-m", "app.cli", "overview", "--json", "--warehouse", str(reviewed.path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    with Warehouse.open(reviewed.path, command="test") as wh:
        found = overview_figures(wh, principal=local_principal())
    assert told["rates"] == found["rates"]
    assert told["reach"] == found["reach"]
    assert told["drift"] == found["drift"]
    assert [row["alerts"] for row in told["ages"]] == [row["alerts"] for row in found["ages"]] == [7]
    assert found["rates"]["alerts_per_scan"] == 7.0
    page = open_page("overview")
    assert not page.exception
    shown = {metric.label: metric.value for metric in page.metric}
    assert shown["RSG alerts per scan"] == "7.00"
    # Seven alerts over twelve documents; ten queries raised none
    assert shown["per 1,000 new documents"] == f"{told['rates']['alerts_per_1000_new_documents']:.2f}" == "583.33"
    assert shown["RSQ alerts per 1,000 queries"] == "0.00"
    reach = told["reach"]
    assert f"n = {reach['documents']} waiting documents, {reach['retrieved_documents']} were retrieved" in said(page)
    frames = [frame.value for frame in page.dataframe]
    (drift,) = [frame for frame in frames if "delta" in frame]
    assert list(drift["now"]) == [row["now"] for row in told["drift"]]
    assert set(drift["size"]) == {"too few"}
    (health,) = [frame for frame in frames if "failed_at" in frame]
    assert list(health["finished"]) == [row["finished"] for row in told["health"]] == [1]
    (gate,) = [frame for frame in frames if "fallback_rate" in frame]
    assert list(gate["events"]) == [row["events"] for row in told["gate"]] == [10]
