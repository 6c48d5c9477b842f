"""The gate in the path of a request: quarantine and holds, then RSQ, then one refill, within a time budget."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from ragsieve_core.document import RankedDocument
from ragsieve_core.errors import InputError
from ragsieve_core.gate.answer import GateAnswer, GateState, Match
from ragsieve_core.gate.calls import caller_of, check_id, check_query
from ragsieve_core.gate.config import GateConfig
from ragsieve_core.gate.corpus import Barred, GateCorpus, View
from ragsieve_core.gate.counters import GateCounters
from ragsieve_core.gate.decision import Decision, decide, decide_short, outcome, untouched
from ragsieve_core.gate.features import FeatureSource
from ragsieve_core.gate.in_force_labels import InForceLabels
from ragsieve_core.gate.log import AnswerGiven, EventSink, GateEvent, is_kept
from ragsieve_core.gate.marking import Entry, check_ranking, found, leave, mark, versions
from ragsieve_core.gate.query_vectors import QueryVectors
from ragsieve_core.gate.remembered import AnswerReceipt, RememberedCalls
from ragsieve_core.gate.rules_in_force import RulesInForce, rule_shown
from ragsieve_core.gate.scoring import Score, Scored, score_survivors
from ragsieve_core.models.roles import Retriever
from ragsieve_core.publication import PublicationReader, Reading
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.score import score_ranking
from ragsieve_core.serial import InForce as TailKnowledge


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
        self._publication, self._sink, self._score = publication, sink, score
        self._features = features
        self._known = known
        self._calls = RememberedCalls()
        self._queries = QueryVectors(retriever)
        self._labels = InForceLabels()
        self._rules = RulesInForce(rsq)

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
        check_query(query)
        check_ranking(ranking, self.config.largest_ranking)
        corpus, caller = self.corpus, caller_of(tenant, groups)
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
        check_query(query)
        corpus, caller = self.corpus, caller_of(tenant, groups)
        try:
            vector = self._queries.encode(query)
        except InputError:
            raise
        except Exception:
            self.counters.add_error(caller.tenant or "")
            raise
        view, reading = corpus.view(caller), self._publication.read()
        barred = corpus.barred(reading.in_force)
        hits = corpus.search(vector, self.config.depth, view, barred)
        entries = found(hits, corpus)
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
            self.filter, query, ranking, groups=groups, tenant=tenant, index_version=index_version, query_id=query_id
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
        check_id("event", event_id)
        check_id("answer", answer_id)
        receipt = self._calls.answer(event_id, answer_id, cited_ids, tenant or "")
        if receipt.state != "known" and self._sink is not None and self.config.log != "off":
            self._sink.put_answer(
                AnswerGiven(event_id, answer_id, self.corpus.corpus, tenant or "", receipt.cited, datetime.now(UTC))
            )
        return receipt

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
        rsq = self._rules.rule(reading.in_force, corpus.corpus, encoder)
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
            applied, would = untouched(entries[: self.rsq.k], decision.outcome), decision.outcome
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
            in_force=self._labels.label(reading.in_force, corpus.corpus, tenant),
            publication_state=reading.state,
            evidence=scored.evidence,
            latency_ms=0.0,
            policy=(reading.in_force.policy.version or "") if rsq != self.rsq else "",
            settings={**self.config.shown(), **rule_shown(rsq)},
        )
        answer = replace(answer, latency_ms=(time.monotonic() - started) * 1000)
        self.counters.add(tenant or "", answer, decision.unscored, scored.errors)
        self._calls.add(answer.event_id, tenant or "", answer.context_ids)
        if self._sink is not None and is_kept(answer, self.config):
            self._sink.put(
                GateEvent(
                    answer,
                    tuple(entries),
                    versions(entries, corpus),
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

    def _source(self, tenant: str | None) -> FeatureSource:
        return self._features(tenant) if callable(self._features) else self._features
