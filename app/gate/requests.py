"""Bodies of requests as records: every field checked, every unknown one refused by name."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ragsieve_core.document import RankedDocument, document_text
from ragsieve_core.errors import InputError, nearest

LONGEST_QUERY = 20_000
LONGEST_ID = 1_000
BODY = "body"
"""Where an error is that concerns the request as a whole: no JSON object."""
_MOST_GROUPS = 1_000


@dataclass(frozen=True, slots=True)
class RetrieveRequest:
    """``POST /v1/retrieve``: rank here and gate.

    Attributes
    ----------
    query : the question, not empty.
    groups : groups of the person who asks; documents with an access list need one of them.
    query_id, index_version : names of the caller's own, logged.
    texts : send the texts of the context along.
    """

    query: str
    groups: tuple[str, ...] = ()
    query_id: str = ""
    index_version: str = ""
    texts: bool = True


@dataclass(frozen=True, slots=True)
class FilterRequest:
    """``POST /v1/filter``: gate a ranking of the caller's own retriever.

    Attributes
    ----------
    query : the question, not empty.
    documents : the ranking, best first, deeper than n leaves room for a refill: objects with ``id``, ``text`` and, if
        there is one, ``title`` and ``similarity``.
    groups : null = not stated.
    query_id, index_version : names of the caller's own, logged.
    texts : send the texts of the context back.
    """

    query: str
    documents: tuple[RankedDocument, ...]
    groups: tuple[str, ...] | None = None
    query_id: str = ""
    index_version: str = ""
    texts: bool = False


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """``POST /v1/answers``: which documents of a context an answer cited.

    Attributes
    ----------
    event : the ``event`` of the gate's answer.
    answer : the caller's own name of its answer.
    cited : ids of the context.
    """

    event: str
    answer: str
    cited: tuple[str, ...] = ()


def read_object(body: bytes) -> dict[str, Any]:
    """A JSON object.

    Raises
    ------
    InputError : anything else.
    """
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InputError(f"no JSON ({type(error).__name__})", where=BODY, expected="one JSON object") from error
    if not isinstance(found, dict):
        raise InputError("no JSON object", where=BODY, expected="one JSON object")
    return found


def retrieve_request(given: Mapping[str, Any]) -> RetrieveRequest:
    """Check a body; raises :class:`InputError` naming the field."""
    _known(given, RetrieveRequest)
    return RetrieveRequest(
        _query(given),
        _groups(given) or (),
        _text(given, "query_id", LONGEST_ID),
        _text(given, "index_version", LONGEST_ID),
        _flag(given, "texts", True),
    )


def filter_request(given: Mapping[str, Any]) -> FilterRequest:
    """Check a body; raises :class:`InputError` naming the field."""
    _known(given, FilterRequest)
    listed = given.get("documents")
    if not isinstance(listed, list):
        raise InputError("no ranking", where="documents", expected="a list of objects with id and text")
    return FilterRequest(
        _query(given),
        tuple(_document(entry, place) for place, entry in enumerate(listed)),
        _groups(given),
        _text(given, "query_id", LONGEST_ID),
        _text(given, "index_version", LONGEST_ID),
        _flag(given, "texts", False),
    )


def answer_request(given: Mapping[str, Any]) -> AnswerRequest:
    """Check a body; raises :class:`InputError` naming the field."""
    _known(given, AnswerRequest)
    for name in ("event", "answer"):
        if not _text(given, name, LONGEST_ID).strip():
            raise InputError("missing or empty", where=name, expected="a non-empty string")
    return AnswerRequest(given["event"], given["answer"], _strings(given.get("cited", []), "cited"))


def _known(given: Mapping[str, Any], kind: type) -> None:
    known = [field.name for field in fields(kind)]
    for name in given:
        if name not in known:
            raise InputError(f"unknown field {name[:60]!r}", where=name[:60], expected=nearest(name[:60], known))


def _query(given: Mapping[str, Any]) -> str:
    query = _text(given, "query", LONGEST_QUERY)
    if not query.strip():
        raise InputError("the query is empty", where="query", expected="a few words")
    return query


def _text(given: Mapping[str, Any], name: str, longest: int, where: str = "") -> str:
    value = given.get(name, "")
    if not isinstance(value, str):
        raise InputError(f"not a string: {type(value).__name__}", where=where or name, expected="a string")
    if len(value) > longest:
        raise InputError(f"{len(value):,} characters", where=where or name, expected=f"at most {longest:,}")
    return value


def _flag(given: Mapping[str, Any], name: str, default: bool) -> bool:
    value = given.get(name, default)
    if not isinstance(value, bool):
        raise InputError(f"not a boolean: {type(value).__name__}", where=name, expected="true or false")
    return value


def _strings(value: Any, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise InputError("not a list of strings", where=name, expected="a list of strings")
    if len(value) > _MOST_GROUPS:
        raise InputError(f"{len(value):,} entries", where=name, expected=f"at most {_MOST_GROUPS:,}")
    return tuple(value)


def _groups(given: Mapping[str, Any]) -> tuple[str, ...] | None:
    value = given.get("groups")
    return None if value is None else _strings(value, "groups")


_DOCUMENT = ("id", "text", "title", "similarity")


def _document(entry: Any, place: int) -> RankedDocument:
    where = f"documents[{place}]"
    if not isinstance(entry, dict):
        raise InputError("not an object", where=where, expected="an object with id and text")
    for name in entry:
        if name not in _DOCUMENT:
            raise InputError(f"unknown field {name[:60]!r}", where=where, expected=nearest(name[:60], _DOCUMENT))
    identity = _text(entry, "id", LONGEST_ID, f"{where}.id")
    if not identity:
        raise InputError("missing or empty", where=f"{where}.id", expected="a non-empty string")
    similarity = entry.get("similarity")
    if similarity is not None and (
        isinstance(similarity, bool) or not isinstance(similarity, int | float) or not math.isfinite(similarity)
    ):
        raise InputError("no finite number", where=f"{where}.similarity", expected="a number or null")
    text = _text(entry, "text", 1 << 30, f"{where}.text")
    title = _text(entry, "title", LONGEST_QUERY, f"{where}.title")
    return RankedDocument(
        identity, place + 1, document_text(text, title), None, None if similarity is None else float(similarity)
    )
