"""Serial deployment: what is in force leaves the ranking first, then RSQ scores the survivors, then one refill.

A pure function over one ranking (METHOD, "Serial deployment"). It neither retrieves nor stores; labels are never used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ragsieve_core.document import RankedContext, RankedDocument
from ragsieve_core.errors import InputError
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.evidence import RankingEvidence
from ragsieve_core.text.words import ascii_words, jaccard

NEAR_COPY_JACCARD = 0.9
"""Word overlap from which a tail document counts as a copy of a candidate."""


class RankingState(StrEnum):
    """What RSQ could say about a ranking."""

    OK = "ok"
    TAIL_CONTAMINATED = "tail_contaminated"
    """Part of the tail is itself suspect, so the contrast is weaker than it looks: RSQ may miss."""
    TAIL_TOO_SHORT = "tail_too_short"
    """Fewer survivors than the rule can score (n under `paper`): RSQ was not applied."""
    EMPTY = "empty"
    """Nothing survived, or nothing was retrieved."""


class SuspectReason(StrEnum):
    """Why a tail document is suspect."""

    OPEN_ALERT = "open_rsg_alert"
    HOLD = "hold"
    RETAINED_NEIGHBOR = "retained_neighbor_of_candidate"
    NEAR_COPY = "near_copy_of_candidate"


@dataclass(frozen=True, slots=True)
class InForce:
    """What applies to a corpus right now, as far as one ranking needs it.

    Attributes
    ----------
    quarantined : document id -> the quarantine version that removed it.
    held : ids isolated until somebody decides.
    alerted : ids with an open RSG alert.
    retained_neighbors : document id -> ids of its retained neighbours in the last scan.
    """

    quarantined: Mapping[str, str] = field(default_factory=dict)
    held: Set[str] = frozenset()
    alerted: Set[str] = frozenset()
    retained_neighbors: Mapping[str, Set[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Removal:
    """A document that left the ranking, and by what: ``quarantine``, ``hold`` or ``rsq``."""

    document_id: str
    original_rank: int
    by: str
    detail: str


@dataclass(frozen=True, slots=True)
class SerialResult:
    """One ranking after serial deployment.

    Attributes
    ----------
    state : :class:`RankingState`.
    context : up to k survivors for the answer, best first; fewer only where the ranking ran out.
    removed : what left, quarantine and holds first, then RSQ, each in rank order.
    survivors : ids after quarantine and holds, renumbered from 1 by position.
    evidence : RSQ of the survivors; None where it was not applied.
    tail_suspects : tail document id -> why it is suspect.
    contaminated_share : suspects / tail length, in [0, 1].
    refill_depth : survivor rank of the deepest document in the context.
    """

    state: RankingState
    context: tuple[RankedDocument, ...]
    removed: tuple[Removal, ...]
    survivors: tuple[str, ...]
    evidence: RankingEvidence | None
    tail_suspects: Mapping[str, SuspectReason]
    contaminated_share: float
    refill_depth: int


def tail_suspects(
    candidates: Sequence[RankedDocument], tail: Sequence[RankedDocument], in_force: InForce
) -> dict[str, SuspectReason]:
    """Tail documents that may belong to what is being promoted, each with the first reason that holds.

    Parameters
    ----------
    candidates : survivors 1..k.
    tail : survivors that the candidates were compared with.
    in_force : open alerts, holds and retained neighbours.
    """
    near: set[str] = set()
    for candidate in candidates:
        near |= in_force.retained_neighbors.get(candidate.id, frozenset())
    words = [ascii_words(candidate.text) for candidate in candidates]
    texts = {candidate.text for candidate in candidates}
    suspects: dict[str, SuspectReason] = {}
    for document in tail:
        held = ascii_words(document.text)
        if document.id in in_force.alerted:
            suspects[document.id] = SuspectReason.OPEN_ALERT
        elif document.id in in_force.held:
            suspects[document.id] = SuspectReason.HOLD
        elif document.id in near:
            suspects[document.id] = SuspectReason.RETAINED_NEIGHBOR
        elif document.text in texts or any(jaccard(held, own) >= NEAR_COPY_JACCARD for own in words):
            suspects[document.id] = SuspectReason.NEAR_COPY
    return suspects


def survivors(context: RankedContext, in_force: InForce) -> tuple[RankedContext, tuple[Removal, ...]]:
    """The ranking without what is in force, renumbered from 1, and what left it.

    Raises
    ------
    InputError : the same document twice in the ranking.
    """
    seen: set[str] = set()
    removed: list[Removal] = []
    left: list[RankedDocument] = []
    for position, document in enumerate(context.documents, start=1):
        if document.id in seen:
            raise InputError(
                f"document {document.id!r} is ranked twice",
                where=f"query {context.query_id!r}",
                expected="each document once in a ranking",
            )
        seen.add(document.id)
        if document.id in in_force.quarantined:
            removed.append(Removal(document.id, position, "quarantine", in_force.quarantined[document.id]))
        elif document.id in in_force.held:
            removed.append(Removal(document.id, position, "hold", "held until somebody decides"))
        else:
            left.append(replace(document, rank=len(left) + 1))
    return replace(context, documents=tuple(left)), tuple(removed)


def deploy(
    context: RankedContext,
    score: Callable[[RankedContext], RankingEvidence],
    in_force: InForce,
    config: RSQConfig,
) -> SerialResult:
    """Quarantine and holds, then RSQ on the survivors, then one refill from the surviving ranking.

    Scores of the original ranking are never reused: ``score`` sees the survivors, renumbered from 1.

    Parameters
    ----------
    context : the ranking as retrieved, best first; deeper than n leaves room to refill.
    score : RSQ of a ranking of at least ``config.n_least`` documents, with the same ``config``.
    in_force : what applies now.
    config : n and k.

    Raises
    ------
    InputError : the same document twice in the ranking.
    """
    remaining, gone = survivors(context, in_force)
    removed, left = list(gone), remaining.documents
    kept = tuple(document.id for document in left)
    if not left:
        return SerialResult(RankingState.EMPTY, (), tuple(removed), (), None, {}, 0.0, 0)
    if len(left) < config.n_least:
        short = left[: config.k]
        return SerialResult(RankingState.TAIL_TOO_SHORT, short, tuple(removed), kept, None, {}, 0.0, short[-1].rank)
    candidates = left[: config.k]
    evidence = score(remaining)
    behind = frozenset(evidence.tail_ids)
    tail = tuple(document for document in left if document.id in behind)
    flagged = {c.document_id: c.score for c in evidence.candidates if c.flagged}
    original = {document.id: position for position, document in enumerate(context.documents, start=1)}
    removed += [
        Removal(document.id, original[document.id], "rsq", f"score {flagged[document.id]:.3f}")
        for document in candidates
        if document.id in flagged
    ]
    final = tuple(document for document in left if document.id not in flagged)[: config.k]
    suspects = tail_suspects(candidates, tail, in_force)
    return SerialResult(
        RankingState.TAIL_CONTAMINATED if suspects else RankingState.OK,
        final,
        tuple(removed),
        kept,
        evidence,
        suspects,
        len(suspects) / len(tail),
        final[-1].rank if final else 0,
    )
