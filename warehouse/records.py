"""What callers hand in: frozen records with NumPy arrays or plain tuples, no pandas, nothing of DuckDB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]
Booleans = NDArray[np.bool_]
Admission = Literal["at_once", "after_scan", "after_review"]
ADMISSIONS: tuple[Admission, ...] = ("at_once", "after_scan", "after_review")


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """A retriever as the warehouse knows it.

    Attributes
    ----------
    key : names every parameter that changes a vector (weights hash, pooling, prefixes, length, dtype).
    name : short name to show.
    dimension : length of a vector, >= 1.
    parameters : the parameters themselves, JSON values.
    """

    key: str
    name: str
    dimension: int
    parameters: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.key or self.dimension < 1:
            raise InputError("an encoder needs a key and a dimension", expected="a non-empty key, dimension >= 1")


@dataclass(frozen=True, slots=True)
class NeighborColumns:
    """All k_G neighbours of each of N documents, nearest first.

    Attributes
    ----------
    position : int (N, k), row of the neighbour in the scan's ``version_ids``; -1 where there are fewer than k.
    cosine, jaccard : float (N, k).
    retained : bool (N, k).
    reason : int (N, k), index into ``reasons`` (why it was not retained); ignored where retained.
    reasons : names.
    """

    position: Integers
    cosine: Floats
    jaccard: Floats
    retained: Booleans
    reason: Integers | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CampaignRecord:
    """What is known of one campaign of a scan besides its members, which are the rows of its number.

    Attributes
    ----------
    number : as in :attr:`ScanRecord.campaign`.
    evidence, expected_number : strongest evidence of a member, and documents expected to reach it if none were planted.
    shared_words : words every member holds.
    context : rows near a member that do not alert.
    """

    number: int
    evidence: float | None = None
    expected_number: float | None = None
    shared_words: Sequence[str] = ()
    context: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class CopyRecord:
    """One group of documents that say the same in the same words; fields as in the table copy_groups.

    ``members`` are rows; ``kind`` is flood, versions or template.
    """

    kind: str
    members: Sequence[int]
    exact: int
    least_jaccard: float
    own_share: float


@dataclass(frozen=True, slots=True)
class ScanRecord:
    """A finished scan of a snapshot by a detector; every array is (N,) in the order of ``version_ids``.

    Fields a detector does not have are ``None`` and stored as null. ``score`` is required: higher = more suspicious.
    ``campaign`` numbers the groups of flagged documents from 0, -1 in none; ``campaigns`` says more of them.
    """

    corpus: str
    snapshot: str
    detector: str
    rule: str
    config: Mapping[str, object]
    config_key: str
    threshold: float
    code_version: str
    started_at: datetime
    seconds: float
    version_ids: Integers
    score: Floats
    flagged: Booleans
    encoder: str | None = None
    model_versions: Mapping[str, str] = field(default_factory=dict)
    state: str = "ok"
    summary: Mapping[str, object] = field(default_factory=dict)
    floor: Floats | None = None
    eligible_neighbors: Integers | None = None
    density: Floats | None = None
    tail_probability: Floats | None = None
    integrity: Floats | Integers | Booleans | None = None
    topology_score: Floats | None = None
    campaign: Integers | None = None
    detail: Sequence[str | None] | None = None
    neighbors: NeighborColumns | None = None
    campaigns: Sequence[CampaignRecord] = ()
    copies: Sequence[CopyRecord] = ()


@dataclass(frozen=True, slots=True)
class RankedRecord:
    """One ranked document of an event.

    ``version_id`` if the ranking came from the warehouse; else ``text`` (the document text that was ranked) finds or
    makes its version; with neither, the current version of ``document_id`` is meant, if there is one.
    ``removed_by``: empty, quarantine, hold, rsg, rsq or unscored.
    """

    document_id: str
    rank: int
    similarity: float | None = None
    version_id: int | None = None
    text: str | None = None
    in_context: bool = False
    removed_by: str = ""


@dataclass(frozen=True, slots=True)
class CandidateRecord:
    """Evidence for one candidate: the fields of METHOD, and the JSON values each term is made of.

    ``anchors``: list of {token, K, x, p}. ``script_runs``: list of {script, start, end}. ``surprisal``: NLL trace and
    the places of burst and change. ``alignment``: F1 per window and the place of the jump. ``tail``: the tail's values.
    ``rank`` counts among the documents RSQ saw. ``score`` None = unscored.
    """

    document_id: str
    rank: int
    score: float | None
    flagged: bool
    removed: bool = False
    p_anchor: float | None = None
    e_anchor: float | None = None
    v_script: float | None = None
    p_script: float | None = None
    e_script: float | None = None
    burst_8: float | None = None
    change_8: float | None = None
    burst_16: float | None = None
    change_16: float | None = None
    e_surprisal: float | None = None
    alignment_jump: float | None = None
    p_alignment: float | None = None
    e_alignment: float | None = None
    anchors: Sequence[object] = ()
    script_runs: Sequence[object] = ()
    surprisal: Mapping[str, object] = field(default_factory=dict)
    alignment: Mapping[str, object] = field(default_factory=dict)
    tail: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EventRecord:
    """One retrieval event with its ranking and the evidence for its candidates.

    ``event_id`` empty: derived from query, condition, tenant, snapshot, quarantine version, encoder, config, models
    and ranking, so that a replayed file adds nothing. ``store_query`` False keeps the keyed hash alone; with
    ``query_hash`` given, the text did not even come: ``query`` is empty then.
    """

    corpus: str
    query: str
    ranking: Sequence[RankedRecord]
    candidates: Sequence[CandidateRecord] = ()
    query_id: str = ""
    condition: str = ""
    tenant: str = "default"
    source: Literal["replay", "query", "gate"] = "replay"
    rule: str = "paper"
    config: Mapping[str, object] = field(default_factory=dict)
    config_key: str = ""
    threshold: float = 1.0
    snapshot: str | None = None
    index_version: str | None = None
    quarantine_version: str | None = None
    encoder: str | None = None
    model_versions: Mapping[str, str] = field(default_factory=dict)
    code_version: str = ""
    state: str = "ok"
    state_detail: Mapping[str, object] = field(default_factory=dict)
    latency_ms: float | None = None
    refill_depth: int | None = None
    occurred_at: datetime | None = None
    event_id: str = ""
    store_query: bool = True
    query_hash: str = ""


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """Which documents an answer cited from the context of an event, and when (UTC); named by event and answer."""

    corpus: str
    event_id: str
    answer_id: str
    cited: Sequence[str]
    answered_at: datetime
    tenant: str = "default"


@dataclass(frozen=True, slots=True)
class LabelRecord:
    """Truth about one document, with where it comes from; ``query_id`` and ``condition`` narrow it to one context."""

    corpus: str
    document_id: str
    poison: bool
    provenance: Literal["fixture", "reviewer"]
    source: str
    query_id: str = ""
    condition: str = ""
    attack: str = ""
    sampling_probability: float | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a longer list.

    Attributes
    ----------
    rows : dicts by column name, in the order asked for.
    total : rows of the whole list under the same filters.
    limit, offset : what was asked for.
    """

    rows: list[dict[str, Any]]
    total: int
    limit: int
    offset: int
