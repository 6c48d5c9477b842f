"""What names a text in the cache."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from ragsieve_core.document import content_hash


@dataclass(frozen=True, slots=True)
class TextKey:
    """One text.

    Attributes
    ----------
    content : its content hash, 64 hex digits: what erasure is asked by.
    name : content hash, followed by a hash of the exact characters where normalisation changed them. Two texts of one
        content hash can have different tokens, so that one must never be given the other's features.
    """

    content: str
    name: str


def text_key(text: str) -> TextKey:
    """Key of a text."""
    content = content_hash(text)
    exact = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return TextKey(content, content if exact == content else f"{content}-{exact[:32]}")


def text_keys(texts: Iterable[str]) -> dict[str, TextKey]:
    """Key of each distinct text, in the order of first appearance."""
    return {text: text_key(text) for text in dict.fromkeys(texts)}


def content_of(name: str) -> str:
    """Content hash in an entry's name."""
    return name[:64]
