"""Tables: counts are grouped whether or not a column says so, and the pager has a button for each of a few pages."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest


def table() -> None:
    from app.components.table import number_column, show_table

    rows = [{"count": 12345, "share": 0.5, "name": "a", "yes": True, "mixed": 1, "said": 7}]
    rows.append({"count": None, "share": 1, "name": "b", "yes": False, "mixed": "x", "said": 8})
    show_table(rows, {"said": number_column("said", digits=1)}, name="t", key="t_csv")


def test_whole_numbers_are_grouped_and_nothing_else() -> None:
    page = AppTest.from_function(table).run()
    columns = json.loads(page.dataframe[0].proto.columns)
    formats = {name: settings.get("type_config", {}).get("format") for name, settings in columns.items()}
    assert {name: how for name, how in formats.items() if how} == {"count": "localized", "said": "%.1f"}


def pager() -> None:
    import streamlit as st

    from app.components import url_state

    url_state.pager(1)
    url_state.pager(int(st.query_params["of"]))


def test_a_single_page_needs_no_pager_and_an_address_beyond_the_end_is_the_last() -> None:
    page = AppTest.from_function(pager)
    page.query_params["of"] = "12"
    page.query_params["page"] = "40"
    page.run()
    assert not page.exception
    assert page.session_state["page"] == 12
