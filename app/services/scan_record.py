"""A finished scan as the warehouse stores it: numbers of every document, and what each flag rests on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsieve_core import __version__
from ragsieve_core.config import config_dict
from ragsieve_core.rsg import CorpusEvidence, Retention
from ragsieve_core.rsg.calibrated.score import CalibratedEvidence, SuspectGroup
from ragsieve_core.rsg.campaigns import campaigns
from ragsieve_core.rsg.copies import CopyGroup, copy_groups
from warehouse.records import CampaignRecord, CopyRecord, NeighborColumns, ScanRecord
from warehouse.snapshots import SnapshotDocuments


def scan_state(evidence: CorpusEvidence) -> str:
    """``topology_silent`` where integrity flags used up the whole alert budget of `paper`, else ``ok``."""
    if isinstance(evidence, CalibratedEvidence) or getattr(evidence.config, "density_cut", False):
        return "ok"
    return "topology_silent" if float(evidence.integrity.mean()) >= getattr(evidence.config, "budget", 1.0) else "ok"


def sources_of(documents: SnapshotDocuments) -> list[str | None]:
    """Source of each document, None where it is not known."""
    return [source or None for source in documents.sources]


@dataclass(frozen=True, slots=True)
class _Groups:
    """What the `calibrated` rule adds to a record; ``campaign`` and ``detail`` have an entry per document."""

    campaign: NDArray[np.int32] | None = None
    detail: list[str | None] | None = None
    campaigns: tuple[CampaignRecord, ...] = ()
    copies: tuple[CopyRecord, ...] = ()
    summary: Mapping[str, Any] = field(default_factory=dict)


def scan_record(
    corpus: str,
    documents: SnapshotDocuments,
    encoder: str,
    evidence: CorpusEvidence,
    started: datetime,
    seconds: float,
    *,
    search: Mapping[str, Any] | None = None,
) -> ScanRecord:
    """The record of a scan; every array follows ``documents``. ``search`` says how the neighbours were found."""
    groups = _calibrated(documents, evidence) if isinstance(evidence, CalibratedEvidence) else _Groups()
    summary: dict[str, Any] = {"integrity_share": float(evidence.integrity.mean()), **groups.summary}
    if search is not None:
        summary["search"] = dict(search)
    return ScanRecord(
        corpus=corpus,
        snapshot=documents.snapshot,
        detector="rsg",
        rule=evidence.config.rule,
        config=config_dict(evidence.config),
        config_key=evidence.config.key,
        threshold=evidence.config.threshold,
        code_version=__version__,
        started_at=started,
        seconds=seconds,
        version_ids=documents.version_ids,
        score=evidence.score,
        flagged=evidence.flagged,
        encoder=encoder,
        state=scan_state(evidence),
        summary=summary,
        floor=evidence.density.floor,
        eligible_neighbors=evidence.density.eligible_neighbors,
        density=evidence.density.density,
        tail_probability=evidence.tail_probability,
        integrity=evidence.integrity,
        topology_score=evidence.topology_score,
        campaign=groups.campaign,
        detail=groups.detail,
        campaigns=groups.campaigns,
        copies=groups.copies,
        neighbors=NeighborColumns(
            position=evidence.neighbors.index.astype(np.int64),
            cosine=evidence.neighbors.cosine,
            jaccard=evidence.jaccard,
            retained=evidence.density.retention == Retention.RETAINED,
            reason=evidence.density.retention,
            reasons=tuple(reason.name.lower() for reason in Retention),
        ),
    )


def _calibrated(documents: SnapshotDocuments, evidence: CalibratedEvidence) -> _Groups:
    """Campaigns, copies, each document's further evidence as JSON, and figures of the whole scan."""
    texts, sources = documents.full_texts(), sources_of(documents)
    found = campaigns(evidence, texts, content_hashes=documents.content_hashes, sources=sources)
    place = np.full(len(documents), -1, dtype=np.int32)
    for number, joined in enumerate(found):
        place[list(joined.members)] = number
    copies = copy_groups(
        texts,
        evidence.neighbors,
        evidence.jaccard,
        evidence.words,
        sources=sources,
        sequence=evidence.reading.sequence,
    )
    copied: dict[int, CopyGroup] = {row: same for same in copies for row in same.members}
    detail: list[str | None] = []
    for row in range(len(documents)):
        flagged = bool(evidence.flagged[row])
        if not flagged and row not in copied:
            detail.append(None)
            continue
        parts: dict[str, Any] = {}
        if flagged:
            strongest = float(evidence.evidence[row])
            parts = {
                "evidence": strongest if np.isfinite(strongest) else None,
                "evidence_cut": evidence.evidence_cut,
                "expected_number": float(evidence.expected_number[row]),
                "documents": len(documents),
            }
            if evidence.group[row] >= 0:
                group = evidence.groups[evidence.group[row]]
                parts["group"] = _values(group) | {"members": [documents.ids[m] for m in group.members]}
        if row in copied:
            parts["copies"] = _copies(documents, copied[row])
        detail.append(json.dumps(parts, ensure_ascii=False))
    kinds = [same.kind.value for same in copies]
    return _Groups(
        place,
        detail,
        tuple(
            CampaignRecord(number, one.evidence, one.expected_number, one.shared_words, one.context)
            for number, one in enumerate(found)
        ),
        tuple(
            CopyRecord(one.kind.value, one.members, one.exact, float(one.least_jaccard), float(one.own_share))
            for one in copies
        ),
        {
            "expected_at_cut": float(evidence.expected_at_cut),
            "campaigns": len(found),
            "islands": len(evidence.islands),
            "copy_groups": {kind: kinds.count(kind) for kind in sorted(set(kinds))},
        },
    )


def _copies(documents: SnapshotDocuments, group: CopyGroup) -> dict[str, Any]:
    """What a member is told of its group; a flood of thousands is not repeated in each of them."""
    named = [documents.ids[row] for row in group.members[:_NAMED]]
    return _values(group) | {"members": named, "documents": len(group.members)}


def _values(group: SuspectGroup | CopyGroup) -> dict[str, Any]:
    """Fields by name. Not ``asdict``, which copies every member of every group for every document in it."""
    return {one.name: getattr(group, one.name) for one in fields(group)}


_NAMED = 50
