"""Choices of stored names: a list finds the chosen option by its label, so no two options may share one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LISTS = {"selectbox", "multiselect", "radio", "segmented_control", "pills"}
SHORTENING = {"plain_label", "safe_label", "chart_label"}


def shortened(source: str) -> Iterator[int]:
    """Lines where a list is labelled by a function that cuts names, so that two could read alike."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LISTS:
            given = [*node.args, *(word.value for word in node.keywords)]
            if any(isinstance(one, ast.Name) and one.id in SHORTENING for one in given):
                yield node.lineno


def test_the_search_finds_a_cut_label() -> None:
    lines = (
        'st.selectbox("A", names, None, plain_label)',
        'st.radio("B", names, format_func=plain_label)',
        'st.selectbox("C", names, format_func=apart(names))',
    )
    assert list(shortened("\n".join(lines))) == [1, 2]


@pytest.mark.parametrize("folder", ["app", "pages"])
def test_no_list_shows_two_options_as_one(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line in shortened(path.read_text(encoding="utf-8"))
    ]
    assert found == [], "label them by app.components.labels.apart"
