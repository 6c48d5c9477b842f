"""From survivors and their scores to a context: RSQ's flags leave, unscored documents go by policy, one refill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from ragsieve_core.gate.answer import ContextDocument, GateRemoval, GateState, Outcome, Status
from ragsieve_core.gate.config import GateConfig
from ragsieve_core.gate.marking import Entry
from ragsieve_core.gate.scoring import Scored, renumbered
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.serial import InForce as TailKnowledge
from ragsieve_core.serial import tail_suspects


@dataclass(frozen=True, slots=True)
class Decision:
    """State and outcome of one ranking in ``enforce``; ``unscored`` counts survivors that RSQ said nothing about."""

    state: GateState
    outcome: Outcome
    reason: str = ""
    suspects: Mapping[str, str] = field(default_factory=dict)
    unscored: int = 0


def decide_short(left: Sequence[Entry], removed: Sequence[GateRemoval], config: GateConfig, rsq: RSQConfig) -> Decision:
    """Fewer survivors than RSQ needs: answered with the first k of them, or with none, by policy."""
    if not left:
        return Decision(GateState.EMPTY, outcome((), removed))
    kept = left[: rsq.k] if config.too_short == "pass" else []
    gone = [] if kept else [GateRemoval(e.id, e.document.rank, "unscored", "ranking too short") for e in left]
    context = [placed(entry, Status.NOT_APPLIED) for entry in kept]
    return Decision(GateState.TAIL_TOO_SHORT, outcome(context, [*removed, *gone]), unscored=len(left))


def decide(
    left: Sequence[Entry],
    removed: Sequence[GateRemoval],
    scored: Scored,
    config: GateConfig,
    rsq: RSQConfig,
    known: TailKnowledge,
) -> Decision:
    """The context of a ranking that is long enough.

    Parameters
    ----------
    left : survivors in rank order.
    removed : what left before.
    scored : what RSQ could say of them.
    known : open alerts and retained neighbours, as far as they are known.
    """
    passing = config.unscored == "pass"
    if scored.evidence is None:
        kept = left[: rsq.k] if passing else []
        gone = [] if passing else _unscored(left[: rsq.n], scored.unscored)
        context = [placed(entry, Status.UNSCORED) for entry in kept]
        return Decision(
            GateState.UNSCORED, outcome(context, [*removed, *gone]), scored.reason, unscored=len(scored.unscored)
        )
    flagged = {candidate.document_id: candidate.score for candidate in scored.evidence.candidates if candidate.flagged}
    candidates = {candidate.document_id for candidate in scored.evidence.candidates}
    usable = {entry.id for entry in scored.usable}
    order = [entry for entry in left if entry.id not in flagged and (passing or entry.id in usable)][: rsq.k]
    context = [placed(entry, _status(entry.id, candidates, usable)) for entry in order]
    deepest = order[-1].document.rank if order else 0
    ranked = scored.usable[: rsq.n]
    looked_at = max(deepest, ranked[-1].document.rank)
    reached = [entry for entry in left if entry.id in scored.unscored and entry.document.rank <= looked_at]
    gone = [
        GateRemoval(entry.id, entry.document.rank, "rsq", f"score {flagged[entry.id]:.3f}")
        for entry in left
        if entry.id in flagged
    ]
    if not passing:
        gone += _unscored(reached, scored.unscored)
    ranking = renumbered("", ranked).documents
    behind = frozenset(scored.evidence.tail_ids)
    suspects = tail_suspects(ranking[: rsq.k], [document for document in ranking if document.id in behind], known)
    state = GateState.TAIL_CONTAMINATED if suspects else GateState.OK
    if reached:
        state = GateState.PARTLY_UNSCORED
    return Decision(
        state,
        outcome(context, [*removed, *gone]),
        scored.reason if reached else "",
        {name: reason.value for name, reason in suspects.items()},
        len(reached),
    )


def _status(name: str, candidates: Set[str], usable: Set[str]) -> Status:
    if name not in usable:
        return Status.UNSCORED
    return Status.PASSED if name in candidates else Status.REFILLED


def _unscored(entries: Sequence[Entry], why: Mapping[str, str]) -> list[GateRemoval]:
    return [GateRemoval(e.id, e.document.rank, "unscored", why.get(e.id, "time_limit")) for e in entries]


def placed(entry: Entry, status: Status) -> ContextDocument:
    """An entry as it stands in a context."""
    given = entry.document
    return ContextDocument(given.id, given.rank, given.text, given.similarity, status, entry.match)


def outcome(context: Sequence[ContextDocument], removed: Sequence[GateRemoval]) -> Outcome:
    """A context with its removals; the refill depth follows."""
    return Outcome(tuple(context), tuple(removed), max((c.original_rank for c in context), default=0))


def untouched(entries: Sequence[Entry], would: Outcome) -> Outcome:
    """The ranking's own first k as they are, each with what the gate found where it looked at it."""
    found = {document.document_id: document.status for document in would.context}
    context = tuple(placed(entry, found.get(entry.id, Status.NOT_CHECKED)) for entry in entries)
    return Outcome(context, (), len(entries))
