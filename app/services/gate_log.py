"""The gate's event log: a bounded buffer, and a thread that hands it to the owner's inbox in segments.

Nothing is lost in silence: what the buffer could not take is counted, and the log says so until the process ends.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from app.services.events import candidate_records, scoring_state
from ragsieve_core import __version__
from ragsieve_core.config import config_dict
from ragsieve_core.errors import InputError, RagsieveError
from ragsieve_core.gate import AnswerGiven, GateEvent
from warehouse.facts import query_hash
from warehouse.ids import new_id
from warehouse.inbox import submit
from warehouse.principal import DEFAULT_TENANT
from warehouse.records import AnswerRecord, EventRecord, RankedRecord
from warehouse.segment_kinds import events_segment

_log = logging.getLogger("ragsieve.gate")
CAPACITY = 20_000
BATCH = 200
INTERVAL_S = 1.0
_RETRY_S = 2.0
_LAST_TRIES = 3


def event_record(event: GateEvent, run: str = "", sequence: int = 0) -> EventRecord:
    """A gated call as the warehouse stores it.

    Parameters
    ----------
    run, sequence : name of the gate's process and number of the call in its log: a gap tells of a killed process.
    """
    answer = event.answer
    removed_by = {removal.document_id: removal.by for removal in answer.removed}
    kept = set(answer.context_ids)
    by_rsq = frozenset(name for name, by in removed_by.items() if by == "rsq")
    would = None
    if answer.would is not None:
        would = {
            "context": [document.document_id for document in answer.would.context],
            "removed": {removal.document_id: removal.by for removal in answer.would.removed},
        }
    hashed = query_hash(event.query_key, event.query) if event.config.query_log == "hash" and event.query_key else ""
    return EventRecord(
        corpus=event.corpus,
        query="" if hashed else event.query,
        query_hash=hashed,
        store_query=event.config.query_log == "text",
        ranking=[
            RankedRecord(
                entry.id,
                entry.document.rank,
                entry.document.similarity,
                version_id=version,
                text=None if version is not None else entry.document.text,
                in_context=entry.id in kept,
                removed_by=removed_by.get(entry.id, ""),
            )
            for entry, version in zip(event.ranking, event.versions, strict=True)
        ],
        candidates=candidate_records(answer.evidence, by_rsq) if answer.evidence is not None else [],
        query_id=event.query_id,
        tenant=event.tenant or DEFAULT_TENANT,
        source="gate",
        rule=event.rsq.rule,
        config=config_dict(event.rsq),
        config_key=event.rsq.key,
        threshold=event.rsq.threshold,
        snapshot=event.snapshot,
        index_version=event.index_version or None,
        quarantine_version=event.quarantine_version,
        encoder=event.encoder or None,
        model_versions=dict(event.models),
        code_version=__version__,
        state=answer.state.value,
        state_detail={
            "mode": answer.mode,
            "reason": answer.reason,
            "publication": event.publication,
            "publication_state": answer.publication_state,
            "alerts_known": False,
            **scoring_state(answer.evidence),
            "policy": answer.policy,
            "tail_suspects": dict(answer.tail_suspects),
            "unknown": list(answer.unknown),
            "changed": list(answer.changed),
            "would": would,
            "gate": event.config.shown(),
            "gate_key": event.config.key,
            "run": run,
            "sequence": sequence,
        },
        latency_ms=answer.latency_ms,
        refill_depth=answer.refill_depth,
        occurred_at=_naive(event.occurred_at),
        event_id=answer.event_id,
    )


def answer_record(answer: AnswerGiven) -> AnswerRecord:
    """An answer as the warehouse stores it."""
    return AnswerRecord(
        answer.corpus,
        answer.event_id,
        answer.answer_id,
        answer.cited,
        _naive(answer.answered_at),
        answer.tenant or DEFAULT_TENANT,
    )


def _naive(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None)


@dataclass(frozen=True, slots=True)
class LogHealth:
    """State of the log: entries ``waiting``, ``written`` to the inbox and ``lost``, and the last ``problem``."""

    waiting: int
    written: int
    lost: int
    problem: str

    @property
    def ok(self) -> bool:
        """False once anything was lost, and while entries cannot be written."""
        return self.lost == 0 and not self.problem


class GateLog:
    """An :class:`ragsieve_core.gate.EventSink` that writes segments into the inbox of a warehouse.

    Parameters
    ----------
    warehouse : its file; nothing but the inbox beside it is touched.
    capacity : entries that may wait; further ones are lost and counted.
    batch : entries of one segment.
    interval_s : seconds after which a smaller segment is written.
    deliver : writes the bytes of a segment; the inbox by default.
    """

    def __init__(
        self,
        warehouse: Path,
        *,
        capacity: int = CAPACITY,
        batch: int = BATCH,
        interval_s: float = INTERVAL_S,
        deliver: Callable[[Path, bytes], object] = submit,
    ) -> None:
        if capacity < 1 or batch < 1:
            raise InputError("an event log without room", where="event log", expected="capacity and batch from 1")
        self._warehouse, self._capacity, self._batch = warehouse, capacity, batch
        self._interval, self._deliver = interval_s, deliver
        self.run = new_id("gaterun")
        self._sequence = 0
        self._waiting: deque[tuple[int, GateEvent | AnswerGiven]] = deque()
        self._change = threading.Condition()
        self._closing = False
        self._written = self._lost = 0
        self._problem = ""
        self._thread = threading.Thread(target=self._run, name="ragsieve-gate-log", daemon=True)
        self._thread.start()

    def put(self, event: GateEvent) -> None:
        """See :class:`ragsieve_core.gate.EventSink`."""
        self._put(event)

    def put_answer(self, answer: AnswerGiven) -> None:
        """See :class:`ragsieve_core.gate.EventSink`."""
        self._put(answer)

    def _put(self, entry: GateEvent | AnswerGiven) -> None:
        with self._change:
            self._sequence += 1
            if self._closing or len(self._waiting) >= self._capacity:
                self._lost += 1
                return
            self._waiting.append((self._sequence, entry))
            if len(self._waiting) >= self._batch:
                self._change.notify_all()

    @property
    def health(self) -> LogHealth:
        """State of the log now."""
        with self._change:
            return LogHealth(len(self._waiting), self._written, self._lost, self._problem)

    def close(self) -> LogHealth:
        """Write what waits and end the thread; what cannot be written after three tries is lost and counted."""
        with self._change:
            self._closing = True
            self._change.notify_all()
        self._thread.join()
        return self.health

    def _run(self) -> None:
        tries = 0
        while True:
            with self._change:
                if not self._closing and len(self._waiting) < self._batch:
                    self._change.wait(self._interval)
                taken = [self._waiting[place] for place in range(min(self._batch, len(self._waiting)))]
                closing = self._closing
            if not taken:
                if closing:
                    return
                continue
            problem = self._write(taken)
            with self._change:
                self._problem = problem
                if not problem:
                    for _ in taken:
                        self._waiting.popleft()
                    self._written += len(taken)
                    tries = 0
                    continue
                tries += 1
                if closing and tries >= _LAST_TRIES:
                    self._lost += len(self._waiting)
                    self._waiting.clear()
                    return
                if not self._closing:
                    self._change.wait(_RETRY_S)
            if closing:
                time.sleep(0.2)

    def _write(self, taken: list[tuple[int, GateEvent | AnswerGiven]]) -> str:
        """Empty, or why these could not be written."""
        try:
            data = events_segment(
                [event_record(entry, self.run, number) for number, entry in taken if isinstance(entry, GateEvent)],
                [answer_record(entry) for _, entry in taken if isinstance(entry, AnswerGiven)],
            )
            self._deliver(self._warehouse, data)
        except (RagsieveError, OSError) as error:
            _log.warning("gate events could not be written, trying again: %s", error)
            return str(error).splitlines()[0]
        except Exception as error:  # noqa: BLE001
            # The boundary of this thread: it must live, or everything after this batch would be lost
            _log.exception("gate events could not be written")
            return f"{type(error).__name__}: {error}"
        return ""
