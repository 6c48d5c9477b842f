"""What RSQ says of a ranking, under either rule: candidates, their four terms, and what they were compared with."""

from __future__ import annotations

from dataclasses import dataclass

from ragsieve_core.rsq.alignment import AlignmentEvidence
from ragsieve_core.rsq.anchor import AnchorEvidence
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.script import ScriptEvidence
from ragsieve_core.rsq.surprisal import SurprisalEvidence


@dataclass(frozen=True, slots=True)
class CandidateEvidence:
    """One candidate with its four terms and what each is made of.

    Attributes
    ----------
    document_id, rank : as in the ranking that was scored.
    anchor, script, surprisal, alignment : the four terms, each >= 0, weights of the rule inside.
    score : their sum; higher = more suspicious.
    flagged : score >= threshold. A triage signal, never a verdict.
    poison : label carried along from the input, never used.
    repeats_question : whether it repeats the question word for word: a state, no evidence. None under `paper`.
    copy_of : earlier ranked document that it is a copy of, whose anchor evidence it carries; None where of none.
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
    repeats_question: bool | None = None
    copy_of: str | None = None


@dataclass(frozen=True, slots=True)
class RankingEvidence:
    """RSQ of one ranking.

    Attributes
    ----------
    query_id, query, condition : of the ranking.
    candidates : k entries in rank order.
    tail_ids : ids of ranks k+1..n; under `calibrated`, of those behind the guard.
    tail_script : their mixed fractions.
    tail_jumps : their alignment jumps.
    config : parameters used.
    guard_ids : ids of the documents between candidates and tail, on neither side; none under `paper`.
    tail_short : the ranking held fewer than n documents and was scored on what was there.
    word_weights : where the weights of words were counted, ``snapshot`` or ``ranking``; empty under `paper`.
    """

    query_id: str
    query: str
    condition: str
    candidates: tuple[CandidateEvidence, ...]
    tail_ids: tuple[str, ...]
    tail_script: tuple[float, ...]
    tail_jumps: tuple[float, ...]
    config: RSQConfig
    guard_ids: tuple[str, ...] = ()
    tail_short: bool = False
    word_weights: str = ""
