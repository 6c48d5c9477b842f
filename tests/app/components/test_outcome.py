"""Done and refused acts as the page says them, from a script of one button."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from app.components.outcome import plain_lines


@pytest.fixture(autouse=True)
def _no_warehouse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.components.outcome.desk", lambda: "the desk")


def script() -> None:
    import streamlit as st

    from app.components.outcome import attempt, show_outcome
    from ragsieve_core.errors import InputError
    from warehouse.errors import PermissionRefusedError, RefusedError

    errors = {
        "named": RefusedError("same_person", "ada proposed it", where="*v1*", do="ask\nanother"),
        "role": PermissionRefusedError("viewer may not", expected="approver"),
        "input": InputError("no [day](javascript:alert(1))"),
    }

    def work(here: object) -> str:
        if (error := errors.get(st.session_state["kind"])) is not None:
            raise error
        return f"Done at {here}."

    st.radio("Kind", ["done", *errors], key="kind")
    st.text_input("Note", key="note")
    place = st.text_input("Place", "page", key="place")
    st.button("Go", key="go", on_click=lambda: attempt(work, place=st.session_state["place"]))
    show_outcome()
    if place == "below":
        show_outcome("below")


def pressed(kind: str, place: str = "page") -> AppTest:
    page = AppTest.from_function(script).run()
    page.radio(key="kind").set_value(kind)
    page.text_input(key="note").set_value("typed")
    page.text_input(key="place").set_value(place)
    page.button(key="go").click().run()
    assert not page.exception
    return page


def test_what_was_done_is_said_once() -> None:
    page = pressed("done")
    assert [one.value for one in page.success] == ["Done at the desk."]
    assert not page.run().success


def test_a_refusal_has_its_name_its_meaning_and_what_was_typed() -> None:
    page = pressed("named")
    (said,) = (one.value for one in page.error)
    assert said.startswith("**Not done: who proposed it may not approve it** (`same_person`). Nothing was changed")
    assert "ada proposed it" in said
    assert "another" in said
    assert page.text_input(key="note").value == "typed"
    assert not page.run().error


def test_errors_without_a_name_of_their_own_get_one() -> None:
    assert "**Not done: your role does not allow it** (`not_allowed`)" in pressed("role").error[0].value
    assert "**Not done: this cannot be used as it is** (`not_usable`)" in pressed("input").error[0].value


def test_text_from_outside_is_no_markdown() -> None:
    # In a code span nothing is a link
    assert "  \n`no [day](javascript:alert(1))`" in pressed("input").error[0].value


def test_only_its_own_section_says_it() -> None:
    assert not pressed("named", "elsewhere").error
    assert len(pressed("named", "below").error) == 1


def test_lines_of_a_message_stay_lines_and_nothing_is_hidden() -> None:
    assert plain_lines("one\n\n  two\u202e") == "one\ntwo⟦U+202E RLO⟧"
