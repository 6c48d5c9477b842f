"""Features from two models, computed one document at a time in a thread of their own: a caller can stop waiting.

What nobody waits for any more is still computed when no live call needs the models: the next call finds it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragsieve_core.errors import InputError
from ragsieve_core.gate.features import DocumentFeatures, FeatureResult
from ragsieve_core.models.memo import DEFAULT_LIMIT
from ragsieve_core.models.roles import CausalLM, TokenVectors, TraceEncoder

_log = logging.getLogger("ragsieve.gate")
_QUERIES = 4096


@dataclass(slots=True, eq=False)
class _Job:
    """One text to compute; ``waiters`` live calls want it now."""

    text: str
    kind: str
    done: bool = False
    waiters: int = 0
    features: DocumentFeatures | None = None
    query: TokenVectors | None = None
    error: Exception | None = None


@dataclass(slots=True)
class _Held:
    """Least recently used features leave first; one larger than the limit is not kept."""

    limit: int
    entries: OrderedDict[str, DocumentFeatures] = field(default_factory=OrderedDict)
    bytes: int = 0

    def put(self, text: str, value: DocumentFeatures) -> None:
        if text in self.entries:
            self.bytes -= _size(text, self.entries.pop(text))
        self.entries[text] = value
        self.bytes += _size(text, value)
        while self.bytes > self.limit:
            gone, features = self.entries.popitem(last=False)
            self.bytes -= _size(gone, features)


def _size(text: str, value: DocumentFeatures) -> int:
    arrays = (value.surprisal.nll, value.surprisal.offsets, value.vectors.vectors, value.vectors.offsets)
    return sum(array.nbytes for array in arrays) + 4 * len(text)


class ModelFeatures:
    """A :class:`FeatureSource` over a causal LM and a trace encoder.

    Parameters
    ----------
    causal_lm, trace_encoder : the models; used by one thread at a time.
    document_max_tokens, query_max_tokens : truncation for the trace encoder, as in the RSQ configuration.
    limit : bytes of features kept.
    backlog : documents that may wait; what comes beyond is missing at once.
    models : lock shared with other sources over the same models.
    """

    def __init__(
        self,
        causal_lm: CausalLM,
        trace_encoder: TraceEncoder,
        *,
        document_max_tokens: int = 256,
        query_max_tokens: int = 64,
        limit: int = DEFAULT_LIMIT,
        backlog: int = 512,
        models: threading.Lock | None = None,
    ) -> None:
        if limit < 0 or backlog < 1:
            raise InputError("a limit below its least", where="feature limits", expected="limit >= 0, backlog >= 1")
        self._causal_lm, self._trace_encoder = causal_lm, trace_encoder
        self._document_max, self._query_max = document_max_tokens, query_max_tokens
        self._backlog = backlog
        self._models = models or threading.Lock()
        self._change = threading.Condition()
        self._held = _Held(limit)
        self._queries: OrderedDict[str, TokenVectors] = OrderedDict()
        self._jobs: OrderedDict[tuple[str, str], _Job] = OrderedDict()
        self._thread: threading.Thread | None = None
        self._closed = False

    @property
    def model_keys(self) -> Mapping[str, str]:
        """See :class:`FeatureSource`."""
        return {"causal_lm": self._causal_lm.key, "trace_encoder": self._trace_encoder.key}

    @property
    def held_bytes(self) -> int:
        """Bytes of features kept now, never more than the limit."""
        return self._held.bytes

    def peek(self, texts: Sequence[str]) -> list[bool]:
        """See :class:`FeatureSource`."""
        with self._change:
            return [text in self._held.entries for text in texts]

    def get(self, texts: Sequence[str], deadline_s: float) -> FeatureResult:
        """See :class:`FeatureSource`."""
        end = time.monotonic() + deadline_s
        wanted = list(dict.fromkeys(texts))
        found: dict[str, DocumentFeatures] = {}
        failed: dict[str, str] = {}
        with self._change:
            jobs = []
            for text in wanted:
                held = self._held.entries.get(text)
                if held is not None:
                    self._held.entries.move_to_end(text)
                    found[text] = held
                elif deadline_s > 0:
                    job = self._ask(text, "document")
                    if job is not None:
                        jobs.append(job)
            self._wait(jobs, end)
            for job in jobs:
                if job.features is not None:
                    found[job.text] = job.features
                elif job.error is not None:
                    failed[job.text] = f"{type(job.error).__name__}: {job.error}"
        return FeatureResult(found, tuple(text for text in wanted if text not in found), failed)

    def query(self, text: str, deadline_s: float) -> TokenVectors | None:
        """See :class:`FeatureSource`."""
        end = time.monotonic() + deadline_s
        with self._change:
            known = self._queries.get(text)
            if known is not None:
                self._queries.move_to_end(text)
                return known
            job = self._ask(text, "query")
            if job is None:
                return None
            self._wait([job], end)
            if job.error is not None:
                raise job.error
            return job.query

    def close(self) -> None:
        """Finish the document in work and end the thread; what waits is missing."""
        with self._change:
            self._closed = True
            self._change.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _ask(self, text: str, kind: str) -> _Job | None:
        job = self._jobs.get((kind, text))
        if job is None:
            if self._closed or (len(self._jobs) >= self._backlog and not self._forget_one()):
                return None
            job = self._jobs[kind, text] = _Job(text, kind)
        job.waiters += 1
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="ragsieve-features", daemon=True)
            self._thread.start()
        self._change.notify_all()
        return job

    def _forget_one(self) -> bool:
        """Make room: the oldest document nobody waits for goes."""
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

    def _next(self) -> _Job | None:
        # A query first: a whole ranking waits for it. Then the oldest live document, then what was left behind.
        live = [job for job in self._jobs.values() if job.waiters > 0]
        for job in live:
            if job.kind == "query":
                return job
        return live[0] if live else next(iter(self._jobs.values()), None)

    def _run(self) -> None:
        while True:
            with self._change:
                while not self._closed and not self._jobs:
                    self._change.wait()
                if self._closed:
                    return
                job = self._next()
            if job is not None:
                self._compute(job)

    def _compute(self, job: _Job) -> None:
        features = query = error = None
        try:
            with self._models:
                if job.kind == "query":
                    [query] = self._trace_encoder.token_vectors([job.text], max_tokens=self._query_max)
                else:
                    [vectors] = self._trace_encoder.token_vectors([job.text], max_tokens=self._document_max)
                    [strange] = self._causal_lm.surprisal([job.text])
                    features = DocumentFeatures(strange, vectors)
        except Exception as caught:  # noqa: BLE001
            # The boundary of this thread: the error belongs to the calls that wait for this text, not to the thread
            _log.warning("features could not be computed: %s", type(caught).__name__, exc_info=caught)
            error = caught
        with self._change:
            if features is not None:
                self._held.put(job.text, features)
            if query is not None:
                self._queries[job.text] = query
                if len(self._queries) > _QUERIES:
                    self._queries.popitem(last=False)
            job.features, job.query, job.error, job.done = features, query, error, True
            if self._jobs.get((job.kind, job.text)) is job:
                del self._jobs[job.kind, job.text]
            self._change.notify_all()
