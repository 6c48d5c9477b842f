"""The renderer, read back by an HTML parser: nothing of the input becomes markup, nothing is lost, nothing shifts."""

from __future__ import annotations

import unicodedata
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.components.highlights import Highlight
from app.components.untrusted_text import text_html

HOSTILE = (
    "<img src=x onerror=alert(1)>![x](http://127.0.0.1:9/p.png)<script>1</script>&lt;b&gt;\u202eabc\u2066\u200b\0\"'"
)


class Reader(HTMLParser):
    """Turns the renderer's HTML back into (character, kinds) pairs, by the rules of its docstring."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.stack: list[dict[str, str]] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.characters: list[tuple[str, frozenset[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        values = {name: value or "" for name, value in attrs}
        self.stack.append(values)
        if "data-hidden" in values:
            times = int(values.get("data-times", "1"))
            self.characters += [(chr(int(values["data-hidden"], 16)), self.kinds())] * times

    def handle_endtag(self, tag: str) -> None:
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        if not any("data-label" in level or "data-hidden" in level for level in self.stack):
            self.characters += [(character, self.kinds()) for character in data]

    def kinds(self) -> frozenset[str]:
        return frozenset(kind for level in self.stack for kind in level.get("data-kind", "").split())


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


def text_of(reader: Reader) -> str:
    return "".join(character for character, _ in reader.characters)


anything = st.text(alphabet=st.characters(codec=None, categories=None), max_size=60)
nasty = st.lists(
    st.sampled_from(
        [
            "<b>",
            "</pre>",
            "&amp;",
            "\n",
            "\t",
            "\r",
            "\u202e",
            "\u202e" * 5,
            "\u200d",
            "\0",
            "é",
            "א",
            "ß",
            '"',
            "'",
            "`",
            "\ufeff",
        ]
    ),
    max_size=20,
).map("".join)
texts = st.one_of(anything, nasty)


@st.composite
def highlighted(draw: st.DrawFn) -> tuple[str, list[Highlight]]:
    text = draw(texts)
    place = st.integers(-2, len(text) + 2)
    spans = draw(st.lists(st.tuples(place, place, st.sampled_from(["anchor", "script", "burst", "jump"])), max_size=6))
    note = draw(nasty)
    return text, [Highlight(a, b, kind, label=note, note=note, script="CYRILLIC") for a, b, kind in spans]


@settings(max_examples=300, deadline=None)
@given(highlighted())
def test_text_comes_back_and_highlights_do_not_shift(case: tuple[str, list[Highlight]]) -> None:
    text, highlights = case
    reader = read(text_html(text, highlights))
    assert text_of(reader) == text
    for position, (_, kinds) in enumerate(reader.characters):
        assert kinds == {h.kind for h in highlights if h.start <= position < h.end}


@settings(max_examples=200, deadline=None)
@given(highlighted())
def test_only_our_own_elements_and_attributes(case: tuple[str, list[Highlight]]) -> None:
    reader = read(text_html(*case))
    assert reader.tags <= {"pre", "span"}
    assert reader.attributes <= {"style", "title", "tabindex", "data-kind", "data-label", "data-hidden", "data-times"}


@settings(max_examples=200, deadline=None)
@given(texts)
def test_no_control_character_reaches_the_page(text: str) -> None:
    html = text_html(text)
    left = {c for c in html if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"}} - {"\n", "\t"}
    assert not left


def test_hostile_text_is_inert_and_visible() -> None:
    html = text_html(HOSTILE)
    assert "<img" not in html
    assert "<script" not in html
    assert "<a" not in html
    for name in ("⟦U+202E RLO⟧", "⟦U+2066 LRI⟧", "⟦U+200B ZWSP⟧", "⟦U+0000 NUL⟧"):
        assert name in html
    assert text_of(read(html)) == HOSTILE


@pytest.mark.parametrize(
    "code", [*range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(0x200B, 0x2010), 0x2060, 0xFEFF, 0xAD]
)
def test_every_listed_control_has_a_mark(code: int) -> None:
    html = text_html(f"a{chr(code)}b")
    assert chr(code) not in html
    assert f"⟦U+{code:04X}" in html


def test_combining_marks_cannot_pile_up() -> None:
    html = text_html("a" + "\u0301" * 10)
    assert html.count("\u0301") == 4
    assert html.count("⟦U+0301⟧ × 6") == html.count("⟦U+0301⟧") == 1
    assert text_of(read(html)) == "a" + "\u0301" * 10


def test_a_long_text_is_cut_and_says_so() -> None:
    html = text_html("x" * 1_000_000, limit=500)
    assert html.count("x" * 500) == 1
    assert "999,500 more characters are not shown" in html


def test_a_leading_newline_survives_the_parser() -> None:
    assert text_html("\nfirst").index("<span></span>") < text_html("\nfirst").index("\n")
