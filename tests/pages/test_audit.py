"""The audit page: the rows of the warehouse, the chain checked on request, filters in the address."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tests.small_warehouse import Small
from warehouse import audit
from warehouse.database import Warehouse

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def test_rows_are_those_of_the_log(small: Small, request: pytest.FixtureRequest, open_page: Open, said: Said) -> None:
    with Warehouse.open(small.path, command="test") as wh:
        end = audit.head(wh)
    request.getfixturevalue("warehouse")
    page = open_page("audit")
    assert not page.exception
    # Opening the dashboard publishes what is in force, which is a row of its own
    rows = int(next(metric.value for metric in page.metric if metric.label == "Rows").replace(",", ""))
    assert rows >= end.sequence
    assert list(page.dataframe[0].value["sequence"]) == list(range(rows, rows - len(page.dataframe[0].value), -1))
    assert f"n = {rows:,} rows" in said(page)


def test_a_filter_of_the_address(warehouse: Small, open_page: Open) -> None:
    page = open_page("audit", action="events_recorded")
    assert set(page.dataframe[0].value["action"]) == {"events recorded"}
    assert open_page("audit", actor="nobody").info[0].value.startswith("No row matches")


def test_the_chain_is_verified_on_request(warehouse: Small, open_page: Open) -> None:
    page = open_page("audit")
    assert not page.success
    page.button(key="verify").click().run()
    assert "The chain holds" in page.success[0].value
    assert "a tail that was cut off" in page.success[0].value


def test_a_broken_chain_is_named_by_its_row(
    small: Small, warehouse: Small, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = audit.AuditReport(False, 2, audit.AuditHead(2, "0" * 64), 3, "row 3 is `gone`", "nothing")
    monkeypatch.setattr(audit, "verify", lambda wh: report)
    page = open_page("audit")
    page.button(key="verify").click().run()
    assert "The chain is broken at row 3" in page.error[0].value
