"""Documents as both detectors see them, and the hash that says when a text is the same text."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass


def document_text(text: str, title: str | None = None) -> str:
    """Text that is embedded, scored and shown: title, blank line, text (METHOD, "Document text").

    The title is left out when it is empty or when the text already starts with it.
    """
    if title and title.strip() and not text.startswith(title):
        return f"{title}\n\n{text}"
    return text


def content_hash(text: str) -> str:
    """SHA-256 (hex) of the document text over normalised bytes: NFC, newlines as ``\\n``, UTF-8.

    Nothing else is normalised: an added space or a swapped look-alike letter is a change a reviewer must see.
    """
    normal = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    return hashlib.sha256(normal.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a corpus.

    Attributes
    ----------
    id : unique within its corpus, non-empty.
    text : body.
    title : may be empty.
    source : the parent document of a chunk or the URI it came from; may be empty.
    """

    id: str
    text: str
    title: str = ""
    source: str = ""

    @property
    def full_text(self) -> str:
        """Text with its title, as METHOD defines it."""
        return document_text(self.text, self.title)


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """One entry of a ranking: ``rank`` counts from 1, ``similarity`` is the retriever's own score if known."""

    id: str
    rank: int
    text: str
    poison: bool | None = None
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class RankedContext:
    """A query with its ranking, best first (ranks ascending without gaps are not required, order is)."""

    query_id: str
    query: str
    condition: str
    documents: tuple[RankedDocument, ...]
