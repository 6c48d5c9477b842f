"""RSQ of one ranking: the four terms, their sum, and the flag."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.document import RankedContext
from ragsieve_core.errors import InputError
from ragsieve_core.models.roles import CausalLM, Progress, TokenSurprisal, TokenVectors, TraceEncoder
from ragsieve_core.rsq.alignment import AlignmentEvidence, AlignmentTrace, alignment_trace, query_alignment
from ragsieve_core.rsq.anchor import AnchorEvidence, anchor_concentration
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.decision import combined_score
from ragsieve_core.rsq.script import ScriptEvidence, script_integrity
from ragsieve_core.rsq.surprisal import SurprisalEvidence, surprisal


@dataclass(frozen=True, slots=True)
class CandidateEvidence:
    """One candidate with its four terms and what each is made of.

    Attributes
    ----------
    document_id, rank : as in the ranking that was scored.
    anchor, script, surprisal, alignment : the four terms, each >= 0.
    score : their sum; higher = more suspicious.
    flagged : score >= threshold. A triage signal, never a verdict.
    poison : label carried along from the input, never used.
    """

    document_id: str
    rank: int
    anchor: AnchorEvidence
    script: ScriptEvidence
    surprisal: SurprisalEvidence
    alignment: AlignmentEvidence
    score: float
    flagged: bool
    poison: bool | None = None


@dataclass(frozen=True, slots=True)
class RankingEvidence:
    """RSQ of one ranking.

    Attributes
    ----------
    query_id, query, condition : of the ranking.
    candidates : k entries in rank order.
    tail_ids : ids of ranks k+1..n.
    tail_script : their mixed fractions.
    tail_jumps : their alignment jumps.
    config : parameters used.
    """

    query_id: str
    query: str
    condition: str
    candidates: tuple[CandidateEvidence, ...]
    tail_ids: tuple[str, ...]
    tail_script: tuple[float, ...]
    tail_jumps: tuple[float, ...]
    config: RSQConfig


def score_ranking(
    context: RankedContext,
    surprisals: Sequence[TokenSurprisal],
    documents: Sequence[TokenVectors],
    query: TokenVectors,
    config: RSQConfig,
) -> RankingEvidence:
    """RSQ of one ranking from features that are already there.

    Parameters
    ----------
    context : ranking of at least n documents; its first n are used.
    surprisals : k entries, of the candidates in rank order.
    documents : n entries, token vectors of the ranked documents.
    query : token vectors of the query.
    config : parameters.

    Raises
    ------
    InputError : ranking shorter than n.
    """
    ranked = context.documents
    if len(ranked) < config.n:
        raise InputError(
            f"the ranking holds {len(ranked)} documents",
            where=f"query {context.query_id!r}",
            expected=f"at least n = {config.n}",
            do="retrieve deeper, or lower n",
        )
    ranked = ranked[: config.n]
    texts = [document.text for document in ranked]
    anchors = anchor_concentration(context.query, texts, config)
    scripts, tail_script = script_integrity(texts, config)
    traces: list[AlignmentTrace] = []
    spans: list[NDArray[np.int32]] = []
    for vectors in documents[: config.n]:
        traces.append(alignment_trace(vectors.vectors, query.vectors, config))
        spans.append(vectors.offsets)
    alignments, tail_jumps = query_alignment(traces, spans, config)
    candidates = []
    for index, document in enumerate(ranked[: config.k]):
        strange = surprisal(surprisals[index].nll, config, surprisals[index].offsets)
        terms = (anchors[index].e_anchor, scripts[index].e_script, strange.e_surprisal, alignments[index].e_alignment)
        anchor, script, burst, alignment = (np.array([term]) for term in terms)
        score = float(combined_score(anchor, script, burst, alignment, config)[0])
        candidates.append(
            CandidateEvidence(
                document.id,
                document.rank,
                anchors[index],
                scripts[index],
                strange,
                alignments[index],
                score,
                score >= config.threshold,
                document.poison,
            )
        )
    return RankingEvidence(
        context.query_id,
        context.query,
        context.condition,
        tuple(candidates),
        tuple(document.id for document in ranked[config.k :]),
        tuple(tail_script),
        tuple(tail_jumps),
        config,
    )


def score_contexts(
    contexts: Sequence[RankedContext],
    causal_lm: CausalLM,
    trace_encoder: TraceEncoder,
    config: RSQConfig,
    *,
    chunk: int = 16,
    progress: Progress | None = None,
) -> Iterator[RankingEvidence]:
    """RSQ of many rankings, in the order given; every distinct text of a chunk goes through a model once.

    Parameters
    ----------
    contexts : rankings of at least n documents each.
    causal_lm, trace_encoder : the two models RSQ needs.
    config : parameters.
    chunk : rankings held in memory at a time; about 8 MB each at d = 384.
    progress : called with (rankings done, rankings in all).
    """
    for start in range(0, len(contexts), chunk):
        part = contexts[start : start + chunk]
        # Sorted, so that batches, and with them the last bits of fp32, do not depend on hashing
        candidate_texts = sorted({d.text for c in part for d in c.documents[: config.k]})
        ranked_texts = sorted({d.text for c in part for d in c.documents[: config.n]})
        queries = sorted({c.query for c in part})
        strange = dict(zip(candidate_texts, causal_lm.surprisal(candidate_texts), strict=True))
        vectors = dict(
            zip(
                ranked_texts,
                trace_encoder.token_vectors(ranked_texts, max_tokens=config.document_max_tokens),
                strict=True,
            )
        )
        asked = dict(
            zip(queries, trace_encoder.token_vectors(queries, max_tokens=config.query_max_tokens), strict=True)
        )
        for offset, context in enumerate(part, start=1):
            yield score_ranking(
                context,
                [strange[d.text] for d in context.documents[: config.k]],
                [vectors[d.text] for d in context.documents[: config.n]],
                asked[context.query],
                config,
            )
            if progress is not None:
                progress(start + offset, len(contexts))
