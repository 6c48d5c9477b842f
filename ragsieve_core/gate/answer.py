"""What a gate says of one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from ragsieve_core.rsq.score import RankingEvidence


class GateState(StrEnum):
    """What the gate could say about a call."""

    OK = "ok"
    TAIL_CONTAMINATED = "tail_contaminated"
    """Part of the tail is itself suspect: RSQ may miss."""
    TAIL_TOO_SHORT = "tail_too_short"
    """Fewer survivors than the rule can score: RSQ was not applied."""
    PARTLY_UNSCORED = "partly_unscored"
    """RSQ was applied without some documents, which had no features."""
    UNSCORED = "unscored"
    """RSQ was not applied: too few documents had features in time, or scoring failed."""
    EMPTY = "empty"
    """Nothing was retrieved, or nothing survived."""
    NOT_IN_FORCE = "not_in_force"
    """What is in force cannot be read, and the policy is to answer nothing then."""


class Status(StrEnum):
    """Where a document of a context stands."""

    PASSED = "passed"
    """A candidate that RSQ scored below the threshold."""
    REFILLED = "refilled"
    """Comes after the candidates; its vectors are there, it was not scored as a candidate."""
    UNSCORED = "unscored"
    """RSQ said nothing about it: let in by policy, or by shadow mode."""
    NOT_APPLIED = "not_applied"
    """The ranking was too short for RSQ."""
    NOT_CHECKED = "not_checked"
    """Shadow mode: what the gate would have left out or not reached."""


class Match(StrEnum):
    """What the snapshot knows of a document."""

    KNOWN = "known"
    CHANGED = "changed"
    """The snapshot holds this id with another text, or a later snapshot does."""
    UNKNOWN = "unknown"
    """The snapshot does not hold this id, or not for this caller."""


@dataclass(frozen=True, slots=True)
class ContextDocument:
    """A document of the answer's context, best first; ``original_rank`` counts from 1 in the ranking as given."""

    document_id: str
    original_rank: int
    text: str
    similarity: float | None
    status: Status
    match: Match


@dataclass(frozen=True, slots=True)
class GateRemoval:
    """A document that left, and by what: quarantine, hold, unadmitted, unknown, changed, unscored or rsq."""

    document_id: str
    original_rank: int
    by: str
    detail: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A context with what had to leave for it; ``refill_depth`` is the original rank of the deepest document in it."""

    context: tuple[ContextDocument, ...]
    removed: tuple[GateRemoval, ...]
    refill_depth: int


@dataclass(frozen=True, slots=True)
class GateAnswer:
    """One call.

    Attributes
    ----------
    event_id : name of the call; :meth:`Gate.record_answer` refers to it.
    mode : enforce or shadow.
    state, reason : see :class:`GateState`; ``reason`` names what kept RSQ from all documents: time_limit, error or
        empty.
    context, removed, refill_depth : what applies. In shadow mode nothing was removed.
    would : shadow mode: what enforce would have done.
    documents : documents in the ranking.
    unknown, changed : ids so marked.
    tail_suspects : tail document -> why it is suspect.
    snapshot, in_force : names of what was used; for a caller of one tenant, hashes over that tenant's part.
    publication_state : ok, stale, missing, damaged or lower_number.
    evidence : RSQ of the documents that were scored, None where it was not applied.
    latency_ms : of the whole call.
    policy : version of the thresholds in force that changed the rule for this call; empty where none did.
    settings : every setting of the gate, and of the rule as it was applied.
    """

    event_id: str
    mode: str
    state: GateState
    reason: str
    context: tuple[ContextDocument, ...]
    removed: tuple[GateRemoval, ...]
    refill_depth: int
    would: Outcome | None
    documents: int
    unknown: tuple[str, ...]
    changed: tuple[str, ...]
    tail_suspects: Mapping[str, str]
    snapshot: str
    in_force: str
    publication_state: str
    evidence: RankingEvidence | None
    latency_ms: float
    policy: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def tail_short(self) -> bool:
        """Whether RSQ was applied to fewer than n documents."""
        return self.evidence is not None and self.evidence.tail_short

    @property
    def context_ids(self) -> tuple[str, ...]:
        """Ids of the context in order."""
        return tuple(document.document_id for document in self.context)

    def shown(self, *, texts: bool = True) -> dict[str, Any]:
        """JSON values: everything but the trace of the evidence, of which the four terms and the score are kept."""
        from ragsieve_core.rsq.record import candidate_record

        def listed(documents: tuple[ContextDocument, ...]) -> list[dict[str, Any]]:
            rows = [asdict(document) for document in documents]
            for row in rows:
                if not texts:
                    del row["text"]
            return rows

        scores = []
        if self.evidence is not None:
            for candidate in self.evidence.candidates:
                record = candidate_record(self.evidence, candidate)
                for name in ("query_id", "condition", "poison"):
                    record.pop(name, None)
                scores.append(record)
        would = None
        if self.would is not None:
            would = {
                "context": [document.document_id for document in self.would.context],
                "removed": [asdict(removal) for removal in self.would.removed],
                "refill_depth": self.would.refill_depth,
            }
        return {
            "event": self.event_id,
            "mode": self.mode,
            "state": self.state.value,
            "reason": self.reason,
            "context": listed(self.context),
            "removed": [asdict(removal) for removal in self.removed],
            "refill_depth": self.refill_depth,
            "would": would,
            "documents": self.documents,
            "unknown": list(self.unknown),
            "changed": list(self.changed),
            "tail_short": self.tail_short,
            "tail_suspects": dict(self.tail_suspects),
            "candidates": scores,
            "snapshot": self.snapshot,
            "in_force": self.in_force,
            "publication": self.publication_state,
            "policy": self.policy,
            "latency_ms": round(self.latency_ms, 3),
            "settings": dict(self.settings),
        }
