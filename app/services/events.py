"""Rankings through serial deployment and into the event log, with batched scoring."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from app.services.access import Access
from app.services.in_force import in_force
from ragsieve_core import __version__
from ragsieve_core.config import config_dict
from ragsieve_core.document import RankedContext
from ragsieve_core.models.feature_cache import Features
from ragsieve_core.models.roles import Progress
from ragsieve_core.rsq import DocumentFrequencies, RankingEvidence, RSQConfig, score_contexts
from ragsieve_core.rsq.record import candidate_detail, candidate_record
from ragsieve_core.serial import SerialResult, deploy, survivors
from warehouse.records import CandidateRecord, EventRecord, RankedRecord

if TYPE_CHECKING:
    from ragsieve_core.models.loading import LoadedModels

CHUNK = 16
"""Rankings scored and committed together: an interrupted replay goes on from there."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where rankings come from: what every event of a run has in common."""

    corpus: str
    source: Literal["replay", "query", "gate"]
    snapshot: str | None = None
    encoder: str | None = None
    tenant: str = "default"


@dataclass(frozen=True, slots=True)
class Applied:
    """Which state of the world a run used: quarantine version, number of its publication, open alerts known or not."""

    quarantine_version: str | None
    publication: int
    alerts_known: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """One ranking, what became of it, and the id of its event."""

    context: RankedContext
    result: SerialResult
    event_id: str


def model_versions(features: Features) -> dict[str, str]:
    """Keys of the two models RSQ used."""
    return {"causal_lm": features.causal_lm.key, "trace_encoder": features.trace_encoder.key}


def candidate_records(evidence: RankingEvidence, removed: frozenset[str]) -> list[CandidateRecord]:
    """Evidence as the warehouse stores it."""
    records = []
    for candidate in evidence.candidates:
        detail = candidate_detail(evidence, candidate)
        numbers = candidate_record(evidence, candidate)
        # What `calibrated` adds to the flat row is stored with the parts of the terms
        for name in (
            *("query_id", "condition", "poison"),
            *("coverage", "repeats_question", "copy_of", "tail_short"),
        ):
            numbers.pop(name, None)
        records.append(
            CandidateRecord(
                **numbers,
                removed=candidate.document_id in removed,
                anchors=detail["anchor_tokens"],
                script_runs=detail["script_runs"],
                surprisal=detail["surprisal"],
                alignment=detail["alignment"],
                tail=detail["tail"],
            )
        )
    return records


def event_record(
    context: RankedContext,
    result: SerialResult,
    origin: Origin,
    config: RSQConfig,
    models: Mapping[str, str],
    versions: Mapping[str, int],
    latency_ms: float,
    applied: Applied,
) -> EventRecord:
    """One ranking and its evidence as an event."""
    removed_by = {removal.document_id: removal.by for removal in result.removed}
    kept = {document.id for document in result.context}
    by_rsq = frozenset(name for name, by in removed_by.items() if by == "rsq")
    return EventRecord(
        corpus=origin.corpus,
        query=context.query,
        ranking=[
            RankedRecord(
                document.id,
                document.rank,
                document.similarity,
                version_id=versions.get(document.id),
                text=None if document.id in versions else document.text,
                in_context=document.id in kept,
                removed_by=removed_by.get(document.id, ""),
            )
            for document in context.documents
        ],
        candidates=candidate_records(result.evidence, by_rsq) if result.evidence else [],
        query_id=context.query_id,
        condition=context.condition,
        tenant=origin.tenant,
        source=origin.source,
        rule=config.rule,
        config=config_dict(config),
        config_key=config.key,
        threshold=config.threshold,
        snapshot=origin.snapshot,
        quarantine_version=applied.quarantine_version,
        encoder=origin.encoder,
        model_versions=models,
        code_version=__version__,
        state=result.state.value,
        state_detail={
            **scoring_state(result.evidence),
            "tail_suspects": {name: reason.value for name, reason in result.tail_suspects.items()},
            "contaminated_share": result.contaminated_share,
            "publication": applied.publication,
            "alerts_known": applied.alerts_known,
        },
        latency_ms=latency_ms,
        refill_depth=result.refill_depth,
    )


def scoring_state(evidence: RankingEvidence | None) -> dict[str, object]:
    """What `calibrated` says about a ranking besides its evidence; nothing under `paper`."""
    if evidence is None or not evidence.word_weights:
        return {}
    return {
        "tail_short": evidence.tail_short,
        "word_weights": evidence.word_weights,
        "repeats_question": [c.document_id for c in evidence.candidates if c.repeats_question],
    }


def touched(answers: Sequence[Answer]) -> int:
    """Queries among them that RSQ took at least one document from."""
    return sum(any(removal.by == "rsq" for removal in answer.result.removed) for answer in answers)


def _scored(scored: Mapping[int, RankingEvidence], place: int, _: RankedContext) -> RankingEvidence:
    """Evidence that was computed for this place of the chunk."""
    return scored[place]


def run_rankings(
    access: Access,
    contexts: Sequence[RankedContext],
    origin: Origin,
    models: LoadedModels,
    config: RSQConfig,
    *,
    versions: Mapping[str, int] | None = None,
    features: Features | None = None,
    frequencies: DocumentFrequencies | None = None,
    progress: Progress | None = None,
) -> Generator[tuple[list[Answer], Mapping[str, Any]]]:
    """Serial deployment of rankings, recorded chunk by chunk.

    Parameters
    ----------
    contexts : rankings, best first, deeper than n where there is more to refill from.
    versions : document id -> version id where the rankings came from the warehouse; other texts are looked up.
    features : cache in front of the models; None keeps features for this call only.
    frequencies : weights of words from the snapshot that was ranked, where it is known.

    Yields
    ------
    Answers of a chunk and what was recorded of them.
    """
    known = versions or {}
    # Rankings share documents: what one chunk computed, the next need not
    cache = features or Features(models.causal_lm, models.trace_encoder, document_tokens=config.document_max_tokens)
    alerted = access.open_rsg_alerts(origin.corpus)
    published = access.published()
    for start in range(0, len(contexts), CHUNK):
        part = contexts[start : start + CHUNK]
        clock = time.perf_counter()
        places = [{d.id: known[d.id] for d in c.documents[: config.n] if d.id in known} for c in part]
        near = access.retained_neighbors(origin.corpus, sorted({v for versions in places for v in versions.values()}))
        forces = [
            in_force(
                origin.corpus,
                held,
                dict.fromkeys(d.id for d in context.documents),
                published,
                alerted,
                near,
            )
            for context, held in zip(part, places, strict=True)
        ]
        left = [survivors(context, force)[0] for context, force in zip(part, forces, strict=True)]
        scorable = [place for place, context in enumerate(left) if len(context.documents) >= config.n_least]
        scored: dict[int, RankingEvidence] = {}
        if scorable:
            rankings = [left[place] for place in scorable]
            evidence = score_contexts(
                rankings,
                cache.causal_lm,
                cache.trace_encoder,
                config,
                frequencies=frequencies,
                lexical=cache.lexical_for(config),
            )
            scored = dict(zip(scorable, evidence, strict=True))
        results = [
            deploy(context, partial(_scored, scored, place), force, config)
            for place, (context, force) in enumerate(zip(part, forces, strict=True))
        ]
        each_ms = (time.perf_counter() - clock) * 1000 / len(part)
        used = model_versions(cache)
        cache.flush()
        applied = Applied(published.quarantine_version, published.number, access.knows_alerts)
        recorded = access.record_events(
            [
                event_record(context, result, origin, config, used, known, each_ms, applied)
                for context, result in zip(part, results, strict=True)
            ]
        )
        yield (
            [
                Answer(context, result, event)
                for context, result, event in zip(part, results, recorded["ids"], strict=True)
            ],
            recorded,
        )
        if progress is not None:
            progress(start + len(part), len(contexts))
