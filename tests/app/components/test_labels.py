"""Labels, read back by a CommonMark parser: one code span and nothing else, whatever the string is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.components.labels import apart, chart_label, file_label, html_label, plain_label, safe_label

anything = st.text(alphabet=st.characters(codec=None, categories=None), max_size=120)
risky = st.lists(
    st.sampled_from(
        [
            "`",
            "``",
            "![x](http://127.0.0.1:9/p.png)",
            "<img src=x>",
            ":red[a]",
            "$x$",
            "\\",
            "\n",
            " ",
            "\u202e",
            "www.x.org",
        ]
    ),
    max_size=8,
).map("".join)


@settings(max_examples=400, deadline=None)
@given(st.one_of(anything, risky))
def test_safe_label_is_one_code_span(text: str) -> None:
    tokens = MarkdownIt("commonmark").parseInline(safe_label(text))[0].children or []
    assert [(token.type, token.content) for token in tokens] == [("code_inline", plain_label(text))]


@settings(max_examples=200, deadline=None)
@given(anything)
def test_plain_label_is_one_visible_line(text: str) -> None:
    label = plain_label(text)
    assert label
    assert not {c for c in label if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"}}
    assert len(label) <= 240


@pytest.mark.parametrize(
    ("text", "label"),
    [
        (None, "–"),
        ("", "–"),
        (" \n ", "–"),
        ("a\nb", "a b"),
        ("x" * 100, "x" * 79 + "…"),
        ("a\u202eb", "a⟦U+202E RLO⟧b"),
        ("a\x1cb", "a⟦U+001C⟧b"),
    ],
)
def test_plain_label(text: str | None, label: str) -> None:
    assert plain_label(text) == label


def test_markup_of_other_surfaces_is_escaped() -> None:
    assert chart_label('<a href="x">y</a>') == '&lt;a href="x"&gt;y&lt;/a&gt;'
    assert html_label("<img src='x'>") == "&lt;img src=&#x27;x&#x27;&gt;"


@pytest.mark.parametrize(
    ("text", "name"),
    [("../../etc/passwd", "etc_passwd"), ("", "item"), ("...", "item"), ("a b\u202ec", "a_b_c"), ("x" * 99, "x" * 60)],
)
def test_file_label(text: str, name: str) -> None:
    assert file_label(text) == name


def test_no_two_options_have_one_label() -> None:
    long = "a" * 100
    options = [f"{long}1", f"{long}2", "b", f"{long}3"]
    shown = apart(options)
    labels = [shown(option) for option in options]
    assert labels[0] == plain_label(long)
    assert labels[1:] == [f"{labels[0]} (2)", "b", f"{labels[0]} (3)"]
    assert shown("not on offer") == "not on offer"


def test_a_name_cannot_pass_for_the_number_of_another() -> None:
    labels = list(map(apart(["x", "x (2)", "x\u200b", "x "]), ["x", "x (2)", "x\u200b", "x "]))
    assert len(set(labels)) == 4
