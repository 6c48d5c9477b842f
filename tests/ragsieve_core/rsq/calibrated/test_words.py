"""Words in order with their places, and windows over them."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given

from ragsieve_core.rsq.calibrated.words import is_content, ordered_words, stem, window_ranges, word_places
from ragsieve_core.text.unicode_words import folded


def test_words_stand_in_text_order_also_around_unspaced_ones() -> None:
    assert ordered_words("Tokyo 東京都 tower").words == ("tokyo", "東京", "京都", "tower")


def test_plural_and_possessive_fold_to_the_word() -> None:
    found = [stem(word) for word in ("adele's", "adeles", "adele", "cities", "boss", "was", "is", "ties")]
    assert found == ["adele", "adele", "adele", "city", "boss", "was", "is", "tie"]


def test_content_words() -> None:
    assert [is_content(word) for word in ("of", "the", "7", "a1", "東京", "мы", "мир")] == [
        *(False, True, True, False),
        *(True, False, True),
    ]


def test_a_chinese_character_is_half_a_word() -> None:
    # 100 characters: 99 bigrams, 49.5 word units; windows of 32 at 0, 16 and the end
    text = "".join(chr(0x4E00 + i) for i in range(100))
    assert window_ranges(ordered_words(text), 32, 16) == [(0, 64), (32, 96), (35, 99)]


def test_windows_cover_every_word_and_end_with_the_text() -> None:
    words = ordered_words(" ".join(f"w{i}" for i in range(70)))
    assert window_ranges(words, 32, 16) == [(0, 32), (16, 48), (32, 64), (38, 70)]
    assert window_ranges(ordered_words("two words"), 32, 16) == [(0, 2)]
    assert window_ranges(ordered_words(""), 32, 16) == []


def test_places_point_into_the_text_itself() -> None:
    text = "Stra\u00adße ﬁne 東京 Ĉu"
    assert [(text[a:b], word) for word, a, b in word_places(text)] == [
        ("Stra\u00adße", "strasse"),
        ("ﬁne", "fine"),
        ("東京", "東京"),
        ("Ĉu", "ĉu"),
    ]


@given(st.text(max_size=60))
def test_places_are_ordered_spans_inside_any_text(text: str) -> None:
    for word, start, end in word_places(text):
        assert 0 <= start <= end <= len(text)
        assert word
    assert len(ordered_words(text).words) == len(word_places(text))
    assert ordered_words(text).words == ordered_words(folded(text)).words
