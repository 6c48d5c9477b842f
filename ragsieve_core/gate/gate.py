"""The gate in the path of a request: quarantine and holds, then RSQ, then one refill, within a time budget."""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.document import RankedDocument
from ragsieve_core.errors import InputError
from ragsieve_core.gate.answer import ContextDocument, GateAnswer, GateState, Match, Outcome, Status
from ragsieve_core.gate.config import GateConfig
from ragsieve_core.gate.corpus import Barred, Caller, GateCorpus, View
from ragsieve_core.gate.counters import GateCounters
from ragsieve_core.gate.decision import Decision, decide, decide_short, outcome, placed
from ragsieve_core.gate.features import FeatureSource
from ragsieve_core.gate.log import AnswerGiven, EventSink, GateEvent, is_kept
from ragsieve_core.gate.marking import Entry, check_ranking, leave, mark
from ragsieve_core.gate.remembered import AnswerReceipt, RememberedCalls
from ragsieve_core.gate.scoring import Score, Scored, score_survivors
from ragsieve_core.models.roles import Retriever
from ragsieve_core.publication import InForce, PublicationReader, Reading
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.score import score_ranking
from ragsieve_core.serial import InForce as TailKnowledge

_QUERY_VECTORS = 1024
_RULES = 64


class Gate:
    """Stands between a retriever and a prompt. Safe to share between threads; every call reads what is in force anew.

    Parameters
    ----------
    corpus : the snapshot; :attr:`corpus` may be set to a later one while the gate works.
    publication : what is in force.
    features : features of documents, or a function that gives them for a tenant (None = callers of all tenants). With
        one source for many tenants a warm text of one could be told from a cold one by another: give each its own.
    config : how to act.
    rsq : parameters of RSQ; ``n_least`` survivors are needed, n looked at, ``k`` documents make a context. Thresholds
        in force for the corpus, and for the retriever where the gate ranks itself, go before them.
    retriever : encodes queries for :meth:`retrieve`; needs the encoder the snapshot was encoded with.
    sink : event log; None logs nothing.
    score : RSQ of a ranking.
    known : open RSG alerts and retained neighbours, where they are known to this process.
    """

    def __init__(
        self,
        corpus: GateCorpus,
        publication: PublicationReader,
        features: FeatureSource | Callable[[str | None], FeatureSource],
        config: GateConfig,
        rsq: RSQConfig,
        *,
        retriever: Retriever | None = None,
        sink: EventSink | None = None,
        score: Score = score_ranking,
        known: Callable[[], TailKnowledge] = TailKnowledge,
    ) -> None:
        if retriever is not None and corpus.searchable and corpus.encoder != retriever.key:
            raise InputError(
                f"the corpus is stored with vectors of encoder {corpus.encoder!r}, which this profile cannot make",
                where="profile",
                expected=f"the profile whose retriever made them (this one's key: {retriever.key})",
                do="choose that profile, or ingest the corpus without vectors",
            )
        self.corpus = corpus
        self.config, self.rsq = config, rsq
        self.counters = GateCounters()
        self._publication, self._retriever, self._sink, self._score = publication, retriever, sink, score
        self._features = features
        self._known = known
        self._calls = RememberedCalls()
        self._guard = threading.Lock()
        self._encoding = threading.Lock()
        self._asked: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._labels: OrderedDict[tuple[int, str | None], str] = OrderedDict()
        self._rules: OrderedDict[tuple[str | None, str, str], RSQConfig] = OrderedDict()

    def filter(
        self,
        query: str,
        ranking: Sequence[RankedDocument],
        *,
        groups: Iterable[str] | None = None,
        tenant: str | None = None,
        index_version: str = "",
        query_id: str = "",
    ) -> GateAnswer:
        """The context for a ranking that the caller's own retriever made.

        Parameters
        ----------
        ranking : best first, by position; deeper than n leaves room for a refill. Similarities are logged, never used.
        groups : the caller's groups; None = not stated, access lists hide nothing from the comparison.
        tenant : whose documents exist for the caller; None = all.
        index_version : the caller's own name of its index, logged.

        Raises
        ------
        InputError : an empty query, or a ranking that is too long or names a document twice.
        """
        started = time.monotonic()
        _check_query(query)
        check_ranking(ranking, self.config.largest_ranking)
        corpus, caller = self.corpus, _caller(tenant, groups)
        view, reading = corpus.view(caller), self._publication.read()
        entries = mark(ranking, corpus, view)
        barred = corpus.barred(reading.in_force)
        return self._answer(query, entries, corpus, view, reading, barred, started, index_version, query_id, "")

    def retrieve(
        self,
        query: str,
        groups: Iterable[str] = (),
        *,
        tenant: str | None = None,
        index_version: str = "",
        query_id: str = "",
    ) -> GateAnswer:
        """The context for a query, ranked here by exact cosine over what the caller may see.

        Hidden, superseded and unadmitted documents leave inside the search. What is quarantined or held takes no place
        from others either; where it would have stood, it is listed as removed.

        Raises
        ------
        InputError : an empty query, or no retriever or vectors.
        ModelUnavailableError : the retriever is not on this machine.
        """
        started = time.monotonic()
        _check_query(query)
        corpus, caller = self.corpus, _caller(tenant, groups)
        try:
            vector = self._encode(query)
        except InputError:
            raise
        except Exception:
            self.counters.add_error(caller.tenant or "")
            raise
        view, reading = corpus.view(caller), self._publication.read()
        barred = corpus.barred(reading.in_force)
        hits = corpus.search(vector, self.config.depth, view, barred)
        entries = [
            Entry(
                RankedDocument(corpus.ids[row], rank, corpus.texts[row], None, float(similarity)),
                Match.KNOWN,
                corpus.texts[row],
                int(row),
            )
            for rank, (row, similarity) in enumerate(zip(hits.rows.tolist(), hits.similarity, strict=True), start=1)
        ]
        return self._answer(
            query, entries, corpus, view, reading, barred, started, index_version, query_id, corpus.encoder
        )

    async def afilter(
        self,
        query: str,
        ranking: Sequence[RankedDocument],
        *,
        groups: Iterable[str] | None = None,
        tenant: str | None = None,
        index_version: str = "",
        query_id: str = "",
    ) -> GateAnswer:
        """:meth:`filter` in a thread, for callers with an event loop."""
        return await asyncio.to_thread(
            self.filter,
            query,
            ranking,
            groups=groups,
            tenant=tenant,
            index_version=index_version,
            query_id=query_id,
        )

    async def aretrieve(
        self,
        query: str,
        groups: Iterable[str] = (),
        *,
        tenant: str | None = None,
        index_version: str = "",
        query_id: str = "",
    ) -> GateAnswer:
        """:meth:`retrieve` in a thread, for callers with an event loop."""
        return await asyncio.to_thread(
            self.retrieve, query, groups, tenant=tenant, index_version=index_version, query_id=query_id
        )

    def record_answer(
        self, event_id: str, answer_id: str, cited_ids: Sequence[str], *, tenant: str | None = None
    ) -> AnswerReceipt:
        """Say which documents of a context an answer cited; saying it again changes nothing.

        Raises
        ------
        InputError : empty ids, an event of another caller, a document that was not in its context, or the same answer
            with other citations.
        """
        for name, value in (("event", event_id), ("answer", answer_id)):
            if not isinstance(value, str) or not value.strip():
                raise InputError(f"no {name} id", where=name, expected="a non-empty string")
        receipt = self._calls.answer(event_id, answer_id, cited_ids, tenant or "")
        if receipt.state != "known" and self._sink is not None and self.config.log != "off":
            self._sink.put_answer(
                AnswerGiven(event_id, answer_id, self.corpus.corpus, tenant or "", receipt.cited, datetime.now(UTC))
            )
        return receipt

    def _encode(self, query: str) -> NDArray[np.float32]:
        if self._retriever is None:
            raise InputError(
                "this gate has no retriever", where="retrieve", expected="a gate opened with one", do="use filter"
            )
        with self._guard:
            known = self._asked.get(query)
        if known is not None:
            return known
        # Tokenizers refuse to be used by two threads at once
        with self._encoding:
            vector: NDArray[np.float32] = self._retriever.encode([query], kind="query")[0]
        with self._guard:
            self._asked[query] = vector
            if len(self._asked) > _QUERY_VECTORS:
                self._asked.popitem(last=False)
        return vector

    def _answer(
        self,
        query: str,
        entries: list[Entry],
        corpus: GateCorpus,
        view: View,
        reading: Reading,
        barred: Barred,
        started: float,
        index_version: str,
        query_id: str,
        encoder: str,
    ) -> GateAnswer:
        now = datetime.now(UTC)
        tenant = view.caller.tenant
        scored = Scored(None, ())
        rsq = self._rule(reading.in_force, corpus.corpus, encoder)
        if not reading.serve:
            decision = Decision(GateState.NOT_IN_FORCE, outcome((), ()), reading.state)
        else:
            left, removed = leave(entries, corpus, view, reading.in_force, barred, self.config, now)
            if len(left) < rsq.n_least:
                decision = decide_short(left, removed, self.config, rsq)
            else:
                scored = score_survivors(
                    query,
                    left,
                    self._source(tenant),
                    self._score,
                    rsq,
                    longest=self.config.longest_text,
                    end=started + self.config.budget_ms / 1000,
                    frequencies=None if rsq.rule == "paper" else view.frequencies,
                )
                decision = decide(left, removed, scored, self.config, rsq, self._known())
        applied, would = decision.outcome, None
        if self.config.mode == "shadow":
            would = decision.outcome
            applied = Outcome(_untouched(entries[: self.rsq.k], would), (), min(self.rsq.k, len(entries)))
        answer = GateAnswer(
            event_id=f"gate_{secrets.token_hex(16)}",
            mode=self.config.mode,
            state=decision.state,
            reason=decision.reason,
            context=applied.context,
            removed=applied.removed,
            refill_depth=applied.refill_depth,
            would=would,
            documents=len(entries),
            unknown=tuple(entry.id for entry in entries if entry.match is Match.UNKNOWN),
            changed=tuple(entry.id for entry in entries if entry.match is Match.CHANGED),
            tail_suspects=decision.suspects,
            snapshot=view.label,
            in_force=self._label(reading.in_force, corpus.corpus, tenant),
            publication_state=reading.state,
            evidence=scored.evidence,
            latency_ms=0.0,
            policy=(reading.in_force.policy.version or "") if rsq != self.rsq else "",
            settings={**self.config.shown(), **_rule_shown(rsq)},
        )
        answer = replace(answer, latency_ms=(time.monotonic() - started) * 1000)
        self.counters.add(tenant or "", answer, decision.unscored, scored.errors)
        self._calls.add(answer.event_id, tenant or "", answer.context_ids)
        if self._sink is not None and is_kept(answer, self.config):
            self._sink.put(
                GateEvent(
                    answer,
                    tuple(entries),
                    _versions(entries, corpus),
                    query,
                    query_id,
                    index_version,
                    corpus.corpus,
                    corpus.snapshot,
                    encoder,
                    tenant or "",
                    reading.in_force.quarantine_version,
                    reading.in_force.number,
                    reading.in_force.query_key,
                    self._source(tenant).model_keys if scored.evidence is not None else {},
                    rsq,
                    self.config,
                    now,
                )
            )
        return answer

    def prepare(self, corpus: GateCorpus | None = None) -> None:
        """Count the words of a snapshot now, for callers of all tenants and those with a token: else a tenant's first
        call would wait for it. Nothing under `paper`, which has no use for them."""
        if self.rsq.rule == "paper":
            return
        named = {credential.tenant for credential in self._publication.read().in_force.credentials.values()}
        for tenant in (None, *sorted(name for name in named if name is not None)):
            (corpus or self.corpus).frequencies.prepare(tenant)

    def _rule(self, in_force: InForce, corpus: str, encoder: str) -> RSQConfig:
        """The rule with the thresholds in force for a corpus and a retriever; an empty one is the caller's own."""
        policy = in_force.policy
        if not policy.rules:
            return self.rsq
        key = (policy.version, corpus, encoder)
        with self._guard:
            found = self._rules.get(key)
            if found is None:
                found = self._rules[key] = policy.applied(self.rsq, corpus, encoder)
                if len(self._rules) > _RULES:
                    self._rules.popitem(last=False)
        return found

    def _source(self, tenant: str | None) -> FeatureSource:
        return self._features(tenant) if callable(self._features) else self._features

    def _label(self, in_force: InForce, corpus: str, tenant: str | None) -> str:
        """Name of what is in force for a caller; the publication's number alone moves with what concerns others."""
        if tenant is None:
            return f"{in_force.quarantine_version or 'none'}/{in_force.number}"
        with self._guard:
            known = self._labels.get((in_force.number, tenant))
        if known is not None:
            return known

        def own(names: Iterable[tuple[str, str]]) -> list[str]:
            return sorted(name for c, name in names if c == corpus and in_force.concerns(c, name, tenant))

        held = [[name, in_force.held[corpus, name].isoformat()] for name in own(in_force.held)]
        text = json.dumps([own(in_force.quarantined), held, own(in_force.unadmitted)])
        label = f"view_{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
        with self._guard:
            self._labels[in_force.number, tenant] = label
            if len(self._labels) > _QUERY_VECTORS:
                self._labels.popitem(last=False)
        return label


def _versions(entries: Sequence[Entry], corpus: GateCorpus) -> tuple[int | None, ...]:
    held = corpus.version_ids
    return tuple(
        int(held[entry.row]) if held is not None and entry.row is not None and entry.match is Match.KNOWN else None
        for entry in entries
    )


def _caller(tenant: str | None, groups: Iterable[str] | None) -> Caller:
    if isinstance(groups, str):
        raise InputError("groups as one string", where="groups", expected="a list of group labels")
    return Caller(tenant, None if groups is None else frozenset(groups))


def _rule_shown(rsq: RSQConfig) -> dict[str, object]:
    return {
        "rule": rsq.rule,
        "n": rsq.n,
        "n_least": rsq.n_least,
        "k": rsq.k,
        "threshold": rsq.threshold,
        "weights": list(rsq.weights),
        "gates": list(rsq.gates),
        "script_support": rsq.script_support,
    }


def _check_query(query: str) -> None:
    if not isinstance(query, str) or not query.strip():
        raise InputError("the query is empty", where="query", expected="a few words")


def _untouched(entries: Sequence[Entry], would: Outcome) -> tuple[ContextDocument, ...]:
    """The ranking's own first k, each with what the gate found where it looked at it."""
    found = {document.document_id: document.status for document in would.context}
    return tuple(placed(entry, found.get(entry.id, Status.NOT_CHECKED)) for entry in entries)
