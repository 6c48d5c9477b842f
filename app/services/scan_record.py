"""A finished scan as the warehouse stores it: numbers of every document, and what each flag rests on."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from typing import Any

import numpy as np

from ragsieve_core import __version__
from ragsieve_core.config import config_dict
from ragsieve_core.rsg import CorpusEvidence, Retention
from ragsieve_core.rsg.calibrated.score import CalibratedEvidence
from ragsieve_core.rsg.calibrated.wording import word_sets
from ragsieve_core.rsg.campaigns import campaigns
from ragsieve_core.rsg.copies import CopyGroup, copy_groups
from warehouse.records import NeighborColumns, ScanRecord
from warehouse.snapshots import SnapshotDocuments


def scan_state(evidence: CorpusEvidence) -> str:
    """``topology_silent`` where integrity flags used up the whole alert budget of `paper`, else ``ok``."""
    if isinstance(evidence, CalibratedEvidence) or getattr(evidence.config, "density_cut", False):
        return "ok"
    return "topology_silent" if float(evidence.integrity.mean()) >= getattr(evidence.config, "budget", 1.0) else "ok"


def sources_of(documents: SnapshotDocuments) -> list[str | None]:
    """Source of each document, None where it is not known."""
    return [source or None for source in documents.sources]


def scan_record(
    corpus: str, documents: SnapshotDocuments, encoder: str, evidence: CorpusEvidence, started: datetime, seconds: float
) -> ScanRecord:
    """The record of a scan; every array follows ``documents``."""
    summary: dict[str, Any] = {"integrity_share": float(evidence.integrity.mean())}
    campaign: np.ndarray[Any, np.dtype[np.int32]] | None = None
    detail: list[str | None] | None = None
    if isinstance(evidence, CalibratedEvidence):
        campaign, detail, more = _calibrated(documents, evidence)
        summary |= more
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
        campaign=campaign,
        detail=detail,
        neighbors=NeighborColumns(
            position=evidence.neighbors.index.astype(np.int64),
            cosine=evidence.neighbors.cosine,
            jaccard=evidence.jaccard,
            retained=evidence.density.retention == Retention.RETAINED,
            reason=evidence.density.retention,
            reasons=tuple(reason.name.lower() for reason in Retention),
        ),
    )


def _calibrated(
    documents: SnapshotDocuments, evidence: CalibratedEvidence
) -> tuple[np.ndarray[Any, np.dtype[np.int32]], list[str | None], dict[str, Any]]:
    """Campaign of each document, its further evidence as JSON, and figures of the whole scan."""
    texts, sources = documents.full_texts(), sources_of(documents)
    found = campaigns(evidence, texts, content_hashes=documents.content_hashes, sources=sources)
    place = np.full(len(documents), -1, dtype=np.int32)
    for number, joined in enumerate(found):
        place[list(joined.members)] = number
    copies = copy_groups(texts, evidence.neighbors, evidence.jaccard, word_sets(texts), sources=sources)
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
                parts["group"] = asdict(group) | {"members": [documents.ids[m] for m in group.members]}
            if place[row] >= 0:
                campaign = found[place[row]]
                parts["campaign"] = {
                    "campaign_id": campaign.campaign_id,
                    "shared_words": list(campaign.shared_words),
                    "context": [documents.ids[other] for other in campaign.context],
                }
        if row in copied:
            parts["copies"] = asdict(copied[row]) | {"members": [documents.ids[m] for m in copied[row].members]}
        detail.append(json.dumps(parts, ensure_ascii=False))
    kinds = [same.kind.value for same in copies]
    return (
        place,
        detail,
        {
            "expected_at_cut": float(evidence.expected_at_cut),
            "campaigns": len(found),
            "islands": len(evidence.islands),
            "copy_groups": {kind: kinds.count(kind) for kind in sorted(set(kinds))},
        },
    )
