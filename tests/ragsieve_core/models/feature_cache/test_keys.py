"""Texts of one content hash that differ in characters are two entries with one content."""

from __future__ import annotations

import hashlib

from ragsieve_core.document import content_hash
from ragsieve_core.models.feature_cache.keys import content_of, text_key, text_keys


def test_a_normalised_text_is_named_by_its_content_hash() -> None:
    key = text_key("harbour\n")
    assert key.name == key.content == hashlib.sha256(b"harbour\n").hexdigest()


def test_texts_that_normalise_to_the_same_are_kept_apart() -> None:
    composed, decomposed, carriage = text_key("caf\u00e9\n"), text_key("cafe\u0301\n"), text_key("caf\u00e9\r\n")
    assert composed.content == decomposed.content == carriage.content
    assert len({composed.name, decomposed.name, carriage.name}) == 3
    assert content_of(decomposed.name) == content_hash("caf\u00e9\n")


def test_lone_surrogates_and_order() -> None:
    assert list(text_keys(["b", "\ud800", "b", "a"])) == ["b", "\ud800", "a"]
