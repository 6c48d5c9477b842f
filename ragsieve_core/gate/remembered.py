"""Calls a gate remembers for a while, so that an answer can be checked against the context it was given."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from ragsieve_core.errors import InputError

_EVENTS = 50_000


@dataclass(frozen=True, slots=True)
class AnswerReceipt:
    """What became of an answer.

    Attributes
    ----------
    state : recorded; known (said before, nothing changed); unchecked (recorded, but the call is too long ago for the
        citations to be compared with its context).
    cited : cited ids as recorded, each once.
    """

    event_id: str
    answer_id: str
    state: Literal["recorded", "known", "unchecked"]
    cited: tuple[str, ...]


@dataclass(slots=True)
class _Call:
    tenant: str
    context: frozenset[str] | None
    answers: dict[str, tuple[str, ...]] = field(default_factory=dict)


class RememberedCalls:
    """The last calls with their contexts and answers. Thread-safe."""

    def __init__(self, limit: int = _EVENTS) -> None:
        self._limit = limit
        self._guard = threading.Lock()
        self._calls: OrderedDict[str, _Call] = OrderedDict()

    def add(self, event_id: str, tenant: str, context: Sequence[str]) -> None:
        """Remember a call."""
        with self._guard:
            self._put(event_id, _Call(tenant, frozenset(context)))

    def _put(self, event_id: str, call: _Call) -> _Call:
        self._calls[event_id] = call
        while len(self._calls) > self._limit:
            self._calls.popitem(last=False)
        return call

    def answer(self, event_id: str, answer_id: str, cited: Sequence[str], tenant: str) -> AnswerReceipt:
        """Check an answer and remember it; the same again is ``known``.

        Raises
        ------
        InputError : a call of another tenant (as for one that does not exist), a cited document that was not in the
            context, or the same answer with other citations.
        """
        ids = tuple(dict.fromkeys(cited))
        with self._guard:
            call = self._calls.get(event_id)
            if call is None:
                call = self._put(event_id, _Call(tenant, None))
            elif call.tenant != tenant:
                raise InputError(
                    f"no call {event_id!r} of this caller", where="event", expected="the event id of an answer"
                )
            said = call.answers.get(answer_id)
            if said is not None:
                if set(said) != set(ids):
                    raise InputError(
                        f"answer {answer_id!r} was recorded with other citations",
                        where="cited",
                        expected=", ".join(said) or "none",
                        do="name another answer",
                    )
                return AnswerReceipt(event_id, answer_id, "known", said)
            strangers = [] if call.context is None else [name for name in ids if name not in call.context]
            if strangers:
                raise InputError(
                    f"{strangers[0]!r} was not in the context of this call",
                    where="cited",
                    expected="ids of the context",
                )
            call.answers[answer_id] = ids
            return AnswerReceipt(event_id, answer_id, "recorded" if call.context is not None else "unchecked", ids)
