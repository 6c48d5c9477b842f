"""RSQ of one ranking by the `calibrated` rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ragsieve_core.document import RankedContext
from ragsieve_core.models.feature_cache.kinds import DocumentVectors
from ragsieve_core.models.roles import TokenSurprisal, TokenVectors
from ragsieve_core.rsq.alignment import AlignmentEvidence, alignment_strength, alignment_trace
from ragsieve_core.rsq.calibrated.anchor import nearby_anchors
from ragsieve_core.rsq.calibrated.config import CalibratedRSQConfig
from ragsieve_core.rsq.calibrated.copies import representatives
from ragsieve_core.rsq.calibrated.frequencies import DocumentFrequencies
from ragsieve_core.rsq.calibrated.repetition import repeats_question
from ragsieve_core.rsq.calibrated.script import misplaced_script
from ragsieve_core.rsq.calibrated.sides import Sides
from ragsieve_core.rsq.calibrated.text_features import CalibratedText, calibrated_texts
from ragsieve_core.rsq.decision import combined_score
from ragsieve_core.rsq.evidence import CandidateEvidence, RankingEvidence
from ragsieve_core.rsq.surprisal import SurprisalEvidence, surprisal
from ragsieve_core.rsq.tail import mid_rank


def score_calibrated(
    context: RankedContext,
    surprisals: Sequence[TokenSurprisal],
    documents: Sequence[DocumentVectors],
    query: TokenVectors,
    config: CalibratedRSQConfig,
    frequencies: DocumentFrequencies | None = None,
    known: Sequence[CalibratedText] | None = None,
) -> RankingEvidence:
    """Evidence of the candidates of a ranking of at least ``config.n_least`` documents.

    Parameters
    ----------
    context : the ranking; its first n are used, all of them where there are fewer.
    surprisals : of the candidates, in rank order.
    documents : token vectors of the ranked documents used.
    query : token vectors of the question.
    config : parameters.
    frequencies : weights of words from the snapshot; counted over the ranking itself where None.
    known : words and misplaced letters of the ranked documents used, where they are there already.
    """
    ranked = context.documents[: config.n]
    texts = [document.text for document in ranked]
    sides = Sides.of(len(ranked), config)
    own = calibrated_texts(texts, config.stray_families) if known is None else known[: config.n]
    words = [text.words for text in own]
    counts = frequencies if frequencies is not None else DocumentFrequencies.of_words(words, "ranking")
    chosen = representatives(texts, config, words)
    anchors = nearby_anchors(context.query, texts, chosen, sides, counts, config, words)
    scripts, tail_script = misplaced_script(texts, sides, config, [text.misplaced for text in own])
    alignments, tail_jumps = _alignment(documents, query, sides, config)
    candidates = []
    for i in sides.candidates:
        strange = _surprisal(surprisals[i], config)
        terms = (anchors[i].e_anchor, scripts[i].e_script, strange.e_surprisal, alignments[i].e_alignment)
        anchor, script, burst, alignment = (np.array([term]) for term in terms)
        score = float(combined_score(anchor, script, burst, alignment, config)[0])
        candidates.append(
            CandidateEvidence(
                ranked[i].id,
                ranked[i].rank,
                anchors[i],
                scripts[i],
                strange,
                alignments[i],
                score,
                score >= config.threshold,
                ranked[i].poison,
                repeats_question=repeats_question(context.query, texts[i], words[i]),
                copy_of=ranked[chosen[i]].id if chosen[i] != i else None,
            )
        )
    return RankingEvidence(
        context.query_id,
        context.query,
        context.condition,
        tuple(candidates),
        tuple(ranked[i].id for i in sides.tail),
        tuple(tail_script),
        tuple(tail_jumps),
        config,
        guard_ids=tuple(ranked[i].id for i in sides.guard),
        tail_short=sides.short,
        word_weights=counts.source,
    )


def _surprisal(found: TokenSurprisal, config: CalibratedRSQConfig) -> SurprisalEvidence:
    """The term of `paper`, beyond the offset and weighted."""
    plain = surprisal(found.nll, config, found.offsets)
    beyond = max(0.0, plain.e_surprisal - config.surprisal_offset)
    return replace(plain, e_surprisal=config.surprisal_weight * beyond)


def _alignment(
    documents: Sequence[DocumentVectors], query: TokenVectors, sides: Sides, config: CalibratedRSQConfig
) -> tuple[list[AlignmentEvidence], list[float]]:
    """The term of `paper` against the deeper tail, weighted, and the tail's jumps."""
    traces = {i: alignment_trace(documents[i].vectors, query.vectors, config) for i in (*sides.candidates, *sides.tail)}
    tail = [traces[i].jump for i in sides.tail]
    evidence = []
    for i in sides.candidates:
        p = mid_rank(traces[i].jump, tail)
        strength = config.alignment_weight * alignment_strength(p, config)
        evidence.append(AlignmentEvidence(p, strength, traces[i], documents[i].offsets))
    return evidence, tail
