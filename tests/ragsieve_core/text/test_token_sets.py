"""The passes over whole corpora give what the plain functions give text by text."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.rsg.lexical import neighbor_jaccard
from ragsieve_core.text import token_sets
from ragsieve_core.text.script_arrays import script_counts
from ragsieve_core.text.scripts import script_profile
from ragsieve_core.text.shared_tokens import shared_counts
from ragsieve_core.text.token_sets import ascii_token_sets
from ragsieve_core.text.words import ascii_words, jaccard

TEXTS = st.lists(
    st.one_of(
        st.text(max_size=40),
        st.text(alphabet="abAB09 -ßİſKé\n\0аяαω一あ한ʻ\ud800", max_size=60),
        st.lists(st.sampled_from(["cat", "category", "categorise", "a" * 17, "a" * 16 + "b", "x9"]), max_size=8).map(
            " ".join
        ),
    ),
    min_size=1,
    max_size=12,
)


def assert_as_plain(texts: list[str]) -> None:
    words = [ascii_words(text) for text in texts]
    sets = ascii_token_sets(texts)
    assert sets.size.tolist() == [len(one) for one in words]
    assert sets.vocabulary == len(frozenset().union(*words))
    left, right = (side.ravel() for side in np.indices((len(texts), len(texts))))
    shared = [len(words[a] & words[b]) for a, b in zip(left, right, strict=True)]
    assert shared_counts(sets, left, right).tolist() == shared
    index = np.tile(np.arange(len(texts), dtype=np.int32), (len(texts), 1))
    assert neighbor_jaccard(texts, index).tolist() == [[jaccard(a, b) for b in words] for a in words]
    profiles = [script_profile(text) for text in texts]
    scripts, transitions = script_counts(texts)
    assert scripts.tolist() == [profile.script_count for profile in profiles]
    assert transitions.tolist() == [profile.transitions for profile in profiles]


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_any_texts(texts: list[str]) -> None:
    assert_as_plain(texts)


def test_rare_words_and_small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_sets, "_CHARACTERS", 50)
    rng = np.random.default_rng(0)
    assert_as_plain([" ".join(f"w{word}" for word in rng.integers(0, 6000, 120)) for _ in range(80)])


def test_words_of_one_hash_are_parted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        token_sets, "_hashes", lambda buffer, first, length, code: np.zeros(first.size, dtype=np.uint64)
    )
    assert_as_plain(["one two", "two three", ""])


@pytest.mark.shared
def test_real_texts(shared_dir: Path) -> None:
    texts = []
    for name in ("2wiki/corpus", "xquad/zh.corpus", "xquad/ar.corpus", "xquad/ru.corpus"):
        lines = (shared_dir / "data" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        texts += [json.loads(line)["text"] for line in lines[:60]]
    assert_as_plain(texts)
