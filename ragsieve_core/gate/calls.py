"""What a call gives besides a ranking, checked."""

from __future__ import annotations

from collections.abc import Iterable

from ragsieve_core.errors import InputError
from ragsieve_core.gate.corpus import Caller


def caller_of(tenant: str | None, groups: Iterable[str] | None) -> Caller:
    """Who asks; a text in place of a list of groups is an InputError."""
    if isinstance(groups, str):
        raise InputError("groups as one string", where="groups", expected="a list of group labels")
    return Caller(tenant, None if groups is None else frozenset(groups))


def check_query(query: str) -> None:
    """Raise InputError for a query without words."""
    if not isinstance(query, str) or not query.strip():
        raise InputError("the query is empty", where="query", expected="a few words")


def check_id(name: str, value: str) -> None:
    """Raise InputError for an empty id of something called ``name``."""
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"no {name} id", where=name, expected="a non-empty string")
