"""RSQ of one ranking: the four terms, their sum, and the flag."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.document import RankedContext
from ragsieve_core.errors import InputError
from ragsieve_core.models.feature_cache.cached_models import CachedTraceEncoder
from ragsieve_core.models.feature_cache.kinds import DocumentVectors
from ragsieve_core.models.feature_cache.lexical import LexicalFeatures, lexical_features
from ragsieve_core.models.roles import CausalLM, Progress, TokenSurprisal, TokenVectors, TraceEncoder
from ragsieve_core.rsq.alignment import AlignmentTrace, alignment_trace, query_alignment
from ragsieve_core.rsq.anchor import anchor_concentration
from ragsieve_core.rsq.calibrated.config import CalibratedRSQConfig
from ragsieve_core.rsq.calibrated.frequencies import DocumentFrequencies
from ragsieve_core.rsq.calibrated.score import score_calibrated
from ragsieve_core.rsq.calibrated.text_features import CalibratedText
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.decision import combined_score
from ragsieve_core.rsq.evidence import CandidateEvidence, RankingEvidence
from ragsieve_core.rsq.script import script_integrity
from ragsieve_core.rsq.surprisal import surprisal

__all__ = ["CandidateEvidence", "Lexical", "LexicalSource", "RankingEvidence", "score_contexts", "score_ranking"]

Lexical = Sequence[LexicalFeatures] | Sequence[CalibratedText]
"""What a rule needs of texts alone: words and script counts for `paper`, words in order and misplaced letters else."""
LexicalSource = Callable[[Sequence[str]], Lexical]
"""Gives them in the order of the texts, for the rule of one configuration (:meth:`Features.lexical_for`)."""


def score_ranking(
    context: RankedContext,
    surprisals: Sequence[TokenSurprisal],
    documents: Sequence[DocumentVectors],
    query: TokenVectors,
    config: RSQConfig,
    lexical: Lexical | None = None,
    frequencies: DocumentFrequencies | None = None,
) -> RankingEvidence:
    """RSQ of one ranking from features that are already there, by the rule that ``config`` names.

    Parameters
    ----------
    context : ranking of at least ``config.n_least`` documents (n under `paper`); its first n are used.
    surprisals : k entries, of the candidates in rank order.
    documents : token vectors of the ranked documents used, n entries or as many as there are.
    query : token vectors of the query.
    config : parameters.
    lexical : what the rule needs of the texts of the documents used, where it is known already; of another rule = None.
    frequencies : weights of words, counted in the snapshot; `paper` has no use for them, `calibrated` counts over the
        ranking itself where None.

    Raises
    ------
    InputError : ranking shorter than ``config.n_least``.
    """
    ranked = context.documents
    if len(ranked) < config.n_least:
        raise InputError(
            f"the ranking holds {len(ranked)} documents",
            where=f"query {context.query_id!r}",
            expected=f"at least n = {config.n_least}",
            do="retrieve deeper, or lower n",
        )
    if isinstance(config, CalibratedRSQConfig):
        known = [own for own in lexical if isinstance(own, CalibratedText)] if lexical is not None else []
        return score_calibrated(
            context,
            surprisals,
            documents,
            query,
            config,
            frequencies,
            known if len(known) == len(documents[: config.n]) else None,
        )
    ranked = ranked[: config.n]
    texts = [document.text for document in ranked]
    plain = [own for own in lexical if isinstance(own, LexicalFeatures)] if lexical is not None else []
    if len(plain) != len(texts):
        plain = [lexical_features(text) for text in texts]
    anchors = anchor_concentration(context.query, texts, config, words_of=[own.words for own in plain])
    scripts, tail_script = script_integrity(texts, config, profiles=[own.profile for own in plain])
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
    frequencies: DocumentFrequencies | None = None,
    chunk: int = 16,
    lexical: LexicalSource | None = None,
    progress: Progress | None = None,
) -> Iterator[RankingEvidence]:
    """RSQ of many rankings, in the order given; every distinct text of a chunk goes through a model once.

    Parameters
    ----------
    contexts : rankings of at least ``config.n_least`` documents each.
    causal_lm, trace_encoder : the two models RSQ needs.
    config : parameters.
    frequencies : as for :func:`score_ranking`.
    chunk : rankings held in memory at a time; about 8 MB each at d = 384.
    lexical : gives what the rule needs of texts alone; None computes it.
    progress : called with (rankings done, rankings in all).
    """
    for start in range(0, len(contexts), chunk):
        part = contexts[start : start + chunk]
        # Sorted, so that batches, and with them the last bits of fp32, do not depend on hashing
        candidate_texts = sorted({d.text for c in part for d in c.documents[: config.k]})
        ranked_texts = sorted({d.text for c in part for d in c.documents[: config.n]})
        queries = sorted({c.query for c in part})
        strange = dict(zip(candidate_texts, causal_lm.surprisal(candidate_texts), strict=True))
        vectors = dict(zip(ranked_texts, _document_vectors(trace_encoder, ranked_texts, config), strict=True))
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
                None if lexical is None else lexical([d.text for d in context.documents[: config.n]]),
                frequencies=frequencies,
            )
            if progress is not None:
                progress(start + offset, len(contexts))


def _document_vectors(encoder: TraceEncoder, texts: list[str], config: RSQConfig) -> Sequence[DocumentVectors]:
    # A cache's own form: widening a chunk's vectors at once would double its memory
    if isinstance(encoder, CachedTraceEncoder):
        return encoder.halves(texts, config.document_max_tokens)
    return encoder.token_vectors(texts, max_tokens=config.document_max_tokens)
