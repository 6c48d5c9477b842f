"""What is shown once: it outlives a page that draws itself anew, and goes with the next act of a person."""

from __future__ import annotations

import ast
from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[3]


def page() -> None:
    import streamlit as st

    from app.components.once import begin_run, draw_again, take

    def act() -> None:
        st.session_state["word"] = "it is done"

    begin_run()
    if word := take("word"):
        st.success(word)
    st.button("Act", key="act", on_click=act)
    st.button("Something else", key="else")
    st.checkbox("Newer words wait", key="newer")
    left = st.number_input("Drawn again", 0, 3, 0, key="times")
    seen = st.session_state.setdefault("seen", 0)
    if seen < left:
        st.session_state["seen"] = seen + 1
        if st.session_state["newer"]:
            st.session_state["word"] = "something newer"
        draw_again()
    st.session_state["seen"] = 0


def test_words_go_with_the_next_act() -> None:
    shown = AppTest.from_function(page).run()
    assert not shown.success
    shown.button(key="act").click().run()
    assert [one.value for one in shown.success] == ["it is done"]
    shown.button(key="else").click().run()
    assert not shown.success


def test_a_page_that_draws_itself_anew_keeps_them() -> None:
    shown = AppTest.from_function(page).run()
    shown.number_input(key="times").set_value(3).run()
    shown.button(key="act").click().run()
    assert [one.value for one in shown.success] == ["it is done"]
    shown.button(key="else").click().run()
    assert not shown.success


def test_newer_words_are_not_overwritten_by_those_shown() -> None:
    shown = AppTest.from_function(page).run()
    shown.number_input(key="times").set_value(1).run()
    shown.checkbox(key="newer").check().run()
    shown.button(key="act").click().run()
    assert [one.value for one in shown.success] == ["something newer"]


def test_every_page_is_drawn_anew_by_the_one_function_that_keeps_words() -> None:
    """A bare rerun would take away what a person has not read yet."""
    found = [
        str(path.relative_to(ROOT))
        for folder in ("app", "pages")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "rerun" and ast.unparse(node) == "st.rerun"
    ]
    assert found == ["app/components/once.py"]
