"""Numbers of words: one each, kept from call to call, whatever the hashes do."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.text.folding import TAIL, folded_bytes
from ragsieve_core.text.token_sets import numbered_token_sets
from ragsieve_core.text.vocabulary import Vocabulary, models
from ragsieve_core.text.words import ascii_words


@given(st.lists(st.integers(0, 30), max_size=80), st.booleans())
def test_equal_items_and_no_others_share_a_model(values: list[int], useless: bool) -> None:
    items = np.array(values, dtype=np.int64)
    hashed = np.zeros(items.size, np.uint64) if useless else items.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    found = models(hashed, lambda one, other: items[one] == items[other], lambda item: int(items[item]))
    assert (items[found] == items).all()
    assert np.unique(found).size == len(set(values))


@given(st.lists(st.lists(st.text(alphabet="abc dEß0123456789\u017f", max_size=30), max_size=6), max_size=4))
def test_numbers_stay_the_same_over_several_calls(batches: list[list[str]]) -> None:
    known, spelled = Vocabulary(), {}
    for batch in batches:
        sets, known = numbered_token_sets(batch, known)
        for text, begin, size in zip(batch, sets.begin.tolist(), sets.size.tolist(), strict=True):
            numbers = sets.number[begin : begin + size].tolist()
            assert len(set(numbers)) == size == len(ascii_words(text))
            for number in numbers:
                code = int(known.codes[number])
                longs = list(known.long)
                word = longs[code ^ (1 << 63)] if code >> 63 else code.to_bytes(8, "little").rstrip(b"\0")
                spelled.setdefault(number, word)
                assert spelled[number] == word
            assert {spelled[number].decode() for number in numbers} == ascii_words(text)
    assert known.size == len(set(spelled.values()))


@given(
    st.lists(st.one_of(st.text(max_size=30), st.text(alphabet="aZ0 ßẞﬁKſİŉǰé", max_size=20)), min_size=1, max_size=6)
)
def test_folding_is_casefold(texts: list[str]) -> None:
    folded, edge = folded_bytes(texts)
    kept = set(b"abcdefghijklmnopqrstuvwxyz0123456789")
    start = 1
    for text, end in zip(texts, edge.tolist(), strict=True):
        wanted = bytes(ord(c) if c.isascii() and ord(c) in kept else 0 for c in text.casefold())
        # Zeros part words; how many of them does not matter
        found = [part for part in bytes(folded[start:end]).split(b"\0") if part]
        assert found == [part for part in wanted.split(b"\0") if part]
        assert folded[end] == 0
        start = end + 1
    assert not folded[start : start + TAIL - 1].any()
