"""What a gate hands to its event log, and which calls it keeps."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ragsieve_core.gate.answer import GateAnswer, GateState
from ragsieve_core.gate.config import GateConfig
from ragsieve_core.gate.marking import Entry
from ragsieve_core.rsq.config import RSQConfig


@dataclass(frozen=True, slots=True)
class GateEvent:
    """One call as it is logged, with the names that only the owner may see.

    Attributes
    ----------
    answer : what was answered.
    ranking : every ranked document as marked, in rank order.
    versions : the warehouse's version of each, None where the ranked text is not the snapshot's.
    query, query_id, index_version : from the caller; ``index_version`` is the caller's own name of its index.
    corpus, snapshot, encoder : what was searched or compared; ``encoder`` empty where the caller's retriever ranked.
    tenant : of the caller; empty = a caller of all tenants.
    quarantine_version, publication : in force.
    query_key : secret under which the query may be hashed; empty where it is not known.
    models : keys of the models by role.
    rsq, config : parameters.
    occurred_at : UTC.
    """

    answer: GateAnswer
    ranking: tuple[Entry, ...]
    versions: tuple[int | None, ...]
    query: str
    query_id: str
    index_version: str
    corpus: str
    snapshot: str
    encoder: str
    tenant: str
    quarantine_version: str | None
    publication: int
    query_key: str
    models: Mapping[str, str]
    rsq: RSQConfig
    config: GateConfig
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class AnswerGiven:
    """Which documents of a context an answer cited; ``cited`` may be empty. Named by event and answer."""

    event_id: str
    answer_id: str
    corpus: str
    tenant: str
    cited: tuple[str, ...]
    answered_at: datetime


class EventSink(Protocol):
    """Takes events and answers without waiting for a disk; counts what it could not keep."""

    def put(self, event: GateEvent) -> None:
        """Keep one call."""

    def put_answer(self, answer: AnswerGiven) -> None:
        """Keep one answer."""


def is_kept(answer: GateAnswer, config: GateConfig) -> bool:
    """Whether a call is logged: always where something was, or would be, removed or the state is not ok.

    Sampling goes by the event id, so that it depends on nothing a caller chooses.
    """
    if config.log != "sampled":
        return config.log == "full"
    if answer.state is not GateState.OK or answer.removed or (answer.would is not None and answer.would.removed):
        return True
    share = int.from_bytes(hashlib.sha256(answer.event_id.encode()).digest()[:8], "big") / 2.0**64
    return share < config.sample
