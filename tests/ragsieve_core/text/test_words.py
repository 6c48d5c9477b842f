"""Words and their spans by hand; spans always point back at what was written."""

from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.text.words import ascii_words, jaccard, word_spans


def test_words() -> None:
    assert ascii_words("Straße 12b, ZÜRICH!") == {"strasse", "12b", "z", "rich"}
    assert ascii_words("собака") == frozenset()


def test_spans_survive_casefolding_that_lengthens() -> None:
    text = "ßß Fuß!"
    assert [(w, text[a:b]) for w, a, b in word_spans(text)] == [("ssss", "ßß"), ("fuss", "Fuß")]


@given(st.text())
def test_spans_hold_the_same_words(text: str) -> None:
    spans = word_spans(text)
    assert {w for w, _, _ in spans} == ascii_words(text)
    assert all(0 <= a < b <= len(text) for _, a, b in spans)


def test_jaccard() -> None:
    assert jaccard(frozenset("abc"), frozenset("bcd")) == 0.5
    assert jaccard(frozenset(), frozenset()) == 0.0
