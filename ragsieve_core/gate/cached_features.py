"""Features for a gate out of the product's cache, computed in a thread of its own: a caller can stop waiting.

What nobody waits for any more is still computed when no live call needs the models: the next call finds it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal

from ragsieve_core.errors import InputError
from ragsieve_core.gate.features import FeatureResult, Ready
from ragsieve_core.models.feature_cache import Features, Held
from ragsieve_core.models.roles import TokenVectors
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.score import Lexical

_log = logging.getLogger("ragsieve.gate")
_AT_ONCE = 2
"""Texts that one turn gives to a model: they are computed side by side."""

Part = Literal["query", "vectors", "surprisal"]


@dataclass(slots=True, eq=False)
class _Job:
    """One text to compute a part of; ``waiters`` live calls want it now."""

    text: str
    part: Part
    done: bool = False
    waiters: int = 0
    value: Any = None
    error: Exception | None = None


class CachedFeatures:
    """A :class:`FeatureSource` over a cache.

    Parameters
    ----------
    own : the cache that is filled; its models are used by one thread at a time.
    shared : a cache that may be read for texts of documents the caller sees in the snapshot, and is never filled here;
        None where ``own`` is everybody's.
    query_max_tokens : truncation of queries, as in the RSQ configuration.
    backlog : texts that may wait; what comes beyond is missing at once.
    models : lock shared with other sources over the same models.
    """

    def __init__(
        self,
        own: Features,
        *,
        shared: Features | None = None,
        query_max_tokens: int = 64,
        backlog: int = 512,
        models: threading.Lock | None = None,
    ) -> None:
        if backlog < 1:
            raise InputError("a limit below its least", where="feature limits", expected="backlog >= 1")
        self._own, self._shared = own, shared
        self._query_max, self._backlog = query_max_tokens, backlog
        self._models = models or threading.Lock()
        self._change = threading.Condition()
        self._jobs: OrderedDict[tuple[Part, str], _Job] = OrderedDict()
        self._thread: threading.Thread | None = None
        self._closed = False

    @property
    def model_keys(self) -> Mapping[str, str]:
        """See :class:`FeatureSource`."""
        return {"causal_lm": self._own.causal_lm.key, "trace_encoder": self._own.trace_encoder.key}

    @property
    def held_bytes(self) -> int:
        """Bytes in the memory of the cache that is filled, never more than its limit."""
        return self._own.memory.bytes

    def peek(self, texts: Sequence[str], known: Set[str]) -> Ready:
        """See :class:`FeatureSource`."""
        own = self._own.peek(texts)
        if self._shared is None:
            return Ready(own.surprisal, own.vectors)
        there = self._shared.peek([text for text in texts if text in known])
        return Ready(own.surprisal | there.surprisal, own.vectors | there.vectors)

    def get(self, texts: Sequence[str], surprisal_for: Set[str], known: Set[str], deadline_s: float) -> FeatureResult:
        """See :class:`FeatureSource`."""
        end = time.monotonic() + deadline_s
        wanted = list(dict.fromkeys(texts))
        held = self._there(wanted, surprisal_for, known)
        found: dict[Part, dict[str, Any]] = {"surprisal": dict(held.surprisal), "vectors": dict(held.vectors)}
        failed: dict[str, str] = {}
        absent: list[tuple[Part, str]] = [("vectors", text) for text in wanted if text not in held.vectors]
        absent += [("surprisal", t) for t in wanted if t in surprisal_for and t not in held.surprisal]
        if not absent or deadline_s <= 0:
            return FeatureResult(held.surprisal, held.vectors, failed)
        with self._change:
            jobs = [job for part, text in absent if (job := self._ask(text, part)) is not None]
            self._wait(jobs, end)
            for job in jobs:
                if job.error is not None:
                    failed[job.text] = f"{type(job.error).__name__}: {job.error}"
                elif job.done:
                    found[job.part][job.text] = job.value
        return FeatureResult(found["surprisal"], found["vectors"], failed)

    def lexical(self, texts: Sequence[str], config: RSQConfig, known: Set[str]) -> Lexical:
        """See :class:`FeatureSource`."""
        # A text of a document the caller sees is looked up among everybody's, and cut by the caller's own cache if it
        # is not there: what a caller of one tenant had computed, others must not find
        if self._shared is None:
            return self._own.lexical_for(config)(texts)
        visible = [text for text in texts if text in known]
        there = self._shared.lexical_there(visible, config)
        return self._own.lexical_with(texts, config, there)

    def query(self, text: str, deadline_s: float) -> TokenVectors | None:
        """See :class:`FeatureSource`."""
        end = time.monotonic() + deadline_s
        found = self._own.query_there(text, self._query_max)
        if found is not None:
            return found
        with self._change:
            job = self._ask(text, "query")
            if job is None:
                return None
            self._wait([job], end)
            if job.error is not None:
                raise job.error
            return job.value.widened() if job.done else None

    def close(self) -> None:
        """Finish the texts in work and end the thread; what waits is missing."""
        with self._change:
            self._closed = True
            self._change.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _there(self, texts: Sequence[str], surprisal_for: Set[str], known: Set[str]) -> Held:
        held = self._own.there(texts, surprisal_for=surprisal_for)
        if self._shared is None:
            return held
        lacking = [
            text
            for text in texts
            if text in known and (text not in held.vectors or (text in surprisal_for and text not in held.surprisal))
        ]
        there = self._shared.there(lacking, surprisal_for=surprisal_for)
        return Held({**there.surprisal, **held.surprisal}, {**there.vectors, **held.vectors})

    def _ask(self, text: str, part: Part) -> _Job | None:
        job = self._jobs.get((part, text))
        if job is None:
            if self._closed or (len(self._jobs) >= self._backlog and not self._forget_one()):
                return None
            job = self._jobs[part, text] = _Job(text, part)
        job.waiters += 1
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="ragsieve-features", daemon=True)
            self._thread.start()
        self._change.notify_all()
        return job

    def _forget_one(self) -> bool:
        """Make room: the oldest text nobody waits for goes."""
        for key, job in self._jobs.items():
            if job.waiters == 0:
                del self._jobs[key]
                return True
        return False

    def _wait(self, jobs: Sequence[_Job], end: float) -> None:
        try:
            while not all(job.done for job in jobs) and not self._closed:
                left = end - time.monotonic()
                if left <= 0:
                    return
                self._change.wait(left)
        finally:
            for job in jobs:
                job.waiters -= 1

    def _next(self) -> list[_Job]:
        # A query first: a whole ranking waits for it. Then the oldest live text, then what was left behind.
        live = [job for job in self._jobs.values() if job.waiters > 0]
        first = next((job for job in live if job.part == "query"), None)
        if first is not None:
            return [first]
        waiting = live or list(self._jobs.values())
        return [job for job in waiting if job.part == waiting[0].part][:_AT_ONCE]

    def _run(self) -> None:
        while True:
            with self._change:
                while not self._closed and not self._jobs:
                    self._change.wait()
                if self._closed:
                    return
                jobs = self._next()
            results = self._compute(jobs)
            with self._change:
                for job, (value, error) in zip(jobs, results, strict=True):
                    job.value, job.error, job.done = value, error, True
                    if self._jobs.get((job.part, job.text)) is job:
                        del self._jobs[job.part, job.text]
                self._change.notify_all()

    def _compute(self, jobs: Sequence[_Job]) -> list[tuple[Any, Exception | None]]:
        work = self._work(jobs[0].part)
        try:
            with self._models:
                return [(value, None) for value in work([job.text for job in jobs])]
        except Exception as caught:  # noqa: BLE001
            # The boundary of this thread: the error belongs to the calls that wait for this text, not to the thread
            if len(jobs) > 1:
                return [result for job in jobs for result in self._compute([job])]
            _log.warning("features could not be computed: %s", type(caught).__name__, exc_info=caught)
            return [(None, caught)]

    def _work(self, part: Part) -> Callable[[list[str]], Sequence[Any]]:
        own = self._own
        if part == "surprisal":
            return own.causal_lm.surprisal
        length = self._query_max if part == "query" else own.document_tokens
        return lambda texts: own.trace_encoder.halves(texts, length)
