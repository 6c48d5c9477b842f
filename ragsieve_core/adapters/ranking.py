"""What adapters share: any gate, documents as a ranking, and the answer as notes on documents."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeVar

from ragsieve_core.document import RankedDocument
from ragsieve_core.gate.answer import ContextDocument, GateState

Item = TypeVar("Item")
NOTE = "ragsieve"
"""Key under which documents carry what the gate said: event, state, status, match, original_rank."""


class GatedContext(Protocol):
    """The part of an answer that adapters read; a :class:`ragsieve_core.gate.GateAnswer` is one."""

    @property
    def event_id(self) -> str:
        """Name of the call."""

    @property
    def state(self) -> GateState:
        """What the gate could say."""

    @property
    def context(self) -> tuple[ContextDocument, ...]:
        """Documents for the prompt, best first."""


class Filter(Protocol):
    """A gate of this process (:class:`ragsieve_core.gate.Gate`) or of another (:class:`HttpGate`)."""

    def filter(
        self,
        query: str,
        ranking: Sequence[RankedDocument],
        *,
        groups: Iterable[str] | None = None,
        index_version: str = "",
    ) -> GatedContext:
        """The context for a ranking."""


def as_ranking(
    items: Sequence[tuple[Item, str | None, str, float | None]],
) -> tuple[list[RankedDocument], dict[str, Item]]:
    """(item, id, text, score) in rank order as a ranking, and the items by id.

    An item without an id is named by its text; an id that comes again is left out, as its better rank is there.
    """
    ranking: list[RankedDocument] = []
    held: dict[str, Item] = {}
    for item, name, text, score in items:
        identity = name or f"text_{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
        if identity not in held:
            held[identity] = item
            ranking.append(RankedDocument(identity, len(ranking) + 1, text, None, score))
    return ranking, held


def note(answer: GatedContext, document: ContextDocument) -> dict[str, Any]:
    """What the gate said of a document, as plain values."""
    return {
        "event": answer.event_id,
        "state": answer.state.value,
        "status": document.status.value,
        "match": document.match.value,
        "original_rank": document.original_rank,
    }


async def filter_in_thread(
    gate: Filter, query: str, ranking: Sequence[RankedDocument], groups: Iterable[str] | None, index_version: str
) -> GatedContext:
    """:meth:`Filter.filter` without holding up the event loop."""
    return await asyncio.to_thread(gate.filter, query, ranking, groups=groups, index_version=index_version)
