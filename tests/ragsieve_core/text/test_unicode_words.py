from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.text.unicode_words import folded, unicode_word_list, unicode_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # UAX #29: apostrophes and full stops inside words (WB6, WB7), signs inside numbers (WB11, WB12) do not break
        ("Don't can’t", ["don't", "can’t"]),
        ("3.14 1,000 e.g. a_b", ["3.14", "1,000", "e.g", "a_b"]),
        # NFKC: ligature, full width; casefold: sharp s
        ("ﬁne Ｗｉｄｅ Straße", ["fine", "wide", "strasse"]),
        # One word with and without tatweel and vowel signs
        ("كتـــاب كِتَاب", ["كتاب", "كتاب"]),
        ("co\u00adop\u200b", ["coop"]),
        ("Привет, мир!", ["привет", "мир"]),
        ("日本語", ["日本", "本語"]),
        ("中", ["中"]),
        ("見NFLる", ["nfl", "見", "る"]),
        ("", []),
        ("… — !", []),
    ],
)
def test_words_by_hand(text: str, words: list[str]) -> None:
    assert unicode_word_list(text) == words


def test_thai_runs_give_character_bigrams_with_their_marks() -> None:
    # ที่ is one consonant and two marks: a run of three characters
    assert unicode_word_list("ที่") == ["ที", "ี่"]


@settings(deadline=None)
@given(st.text())
def test_set_and_list_agree_and_normal_forms_do_not_matter(text: str) -> None:
    words = unicode_word_list(text)
    assert unicode_words(text) == frozenset(words)
    assert all(words)
    assert unicode_words(unicodedata.normalize("NFD", text)) == unicode_words(unicodedata.normalize("NFC", text))


@settings(deadline=None)
@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_takes_no_other_path(text: str) -> None:
    # One trailing non-ASCII space forces the general path
    assert unicode_word_list(text) == unicode_word_list(text + "\u2003")
    assert folded(text) == text.casefold()
