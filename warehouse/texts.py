"""The current text of a document as people's statements refer to it, and the links they give as evidence."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from ragsieve_core.errors import InputError
from warehouse import sql
from warehouse.principal import Principal

_MOST, _LONGEST = 50, 2_000


def current_text(
    cursor: duckdb.DuckDBPyConnection, corpus_id: str, document_id: str, principal: Principal
) -> tuple[str, str]:
    """Content hash and tenant of a document's current version.

    Raises
    ------
    InputError
        no such document for the caller.
    """
    found = sql.row(cursor, "document", corpus_id=corpus_id, document_id=document_id, **principal.scope())
    if found is None:
        raise InputError(f"no document {document_id!r}", where="document")
    return str(found["content_hash"]), str(found["tenant"])


def check_links(evidence: Sequence[str], *, least: int = 0) -> None:
    """Raise :class:`InputError` unless these are ``least`` to 50 non-empty references of at most 2,000 characters.

    A reference with a scheme must be http or https: it may be shown to others, and never as a link.
    """
    if isinstance(evidence, str) or not least <= len(evidence) <= _MOST:
        raise InputError("evidence that is no list of references", where="evidence", expected=f"{least} to {_MOST}")
    for link in evidence:
        text = link.strip()
        scheme = text.partition(":")[0].casefold() if ":" in text.partition("/")[0] else ""
        if not text or len(text) > _LONGEST or scheme not in ("", "http", "https"):
            raise InputError("no usable reference", where="evidence", expected="an http(s) link or a record's name")
