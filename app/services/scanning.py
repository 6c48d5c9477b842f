"""RSG over a snapshot of the warehouse: vectors, scores, neighbours, alerts."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.services.corpus import snapshot_id
from app.services.vectors import embedded_snapshot
from ragsieve_core import __version__
from ragsieve_core.config import config_dict
from ragsieve_core.models.roles import Progress
from ragsieve_core.rsg import CorpusEvidence, Retention, rsg_preset, score_corpus
from warehouse.database import Warehouse
from warehouse.ids import utc_now
from warehouse.principal import Principal
from warehouse.records import NeighborColumns, ScanRecord
from warehouse.scans import find_scan, record_scan

if TYPE_CHECKING:
    from ragsieve_core.models.loading import LoadedModels

Bar = Callable[[str], AbstractContextManager[Progress | None]]
"""Opens a progress display with a title."""


def no_bar(title: str) -> AbstractContextManager[Progress | None]:
    """No display at all."""
    return nullcontext()


@dataclass(frozen=True, slots=True)
class ScanOutcome:
    """What a scan did; ``already`` = the same scan was stored before and nothing was computed."""

    scan: str
    snapshot: str
    documents: int
    flagged: int
    alerts: int
    new_alerts: int
    seconds: float
    state: str
    already: bool


def scan_state(evidence: CorpusEvidence) -> str:
    """``topology_silent`` where integrity flags used up the whole alert budget, else ``ok``."""
    return "topology_silent" if float(evidence.integrity.mean()) >= evidence.config.budget else "ok"


def scan_corpus(
    wh: Warehouse,
    corpus: str,
    models: LoadedModels,
    *,
    principal: Principal,
    rule: str = "paper",
    snapshot: str | None = None,
    encoder: str | None = None,
    bar: Bar = no_bar,
) -> ScanOutcome:
    """Scan a snapshot (the latest by default) and record scores, neighbours and alerts in one transaction.

    Parameters
    ----------
    corpus : name.
    models : profile whose retriever encodes documents that have no vector yet.
    rule : preset of RSG.
    snapshot, encoder : default to the latest snapshot and to the profile's retriever.
    bar : progress display.

    Raises
    ------
    InputError : unknown rule, corpus, snapshot or encoder, or fewer than two documents.
    """
    config = rsg_preset(rule)
    chosen = snapshot_id(wh, corpus, snapshot, principal=principal)
    with bar("encoding documents") as step:
        documents, key = embedded_snapshot(wh, chosen, models, principal=principal, encoder=encoder, progress=step)
    stored = find_scan(
        wh,
        snapshot=chosen,
        detector="rsg",
        config_key=config.key,
        encoder=key,
        code_version=__version__,
        principal=principal,
    )
    if stored is not None:
        return ScanOutcome(
            stored["scan_id"],
            chosen,
            stored["documents"],
            stored["flagged"],
            stored["flagged"],
            0,
            stored["seconds"],
            stored["state"],
            True,
        )
    assert documents.embeddings is not None  # embedded_snapshot leaves none missing
    started, clock = utc_now(), time.perf_counter()
    with bar("searching neighbours") as step:
        evidence = score_corpus(documents.ids, documents.full_texts(), documents.embeddings, config, progress=step)
    seconds = time.perf_counter() - clock
    state = scan_state(evidence)
    recorded = record_scan(
        wh,
        ScanRecord(
            corpus=corpus,
            snapshot=chosen,
            detector="rsg",
            rule=config.rule,
            config=config_dict(config),
            config_key=config.key,
            threshold=config.threshold,
            code_version=__version__,
            started_at=started,
            seconds=seconds,
            version_ids=documents.version_ids,
            score=evidence.score,
            flagged=evidence.flagged,
            encoder=key,
            state=state,
            summary={"integrity_share": float(evidence.integrity.mean())},
            floor=evidence.density.floor,
            eligible_neighbors=evidence.density.eligible_neighbors,
            density=evidence.density.density,
            tail_probability=evidence.tail_probability,
            integrity=evidence.integrity,
            topology_score=evidence.topology_score,
            neighbors=NeighborColumns(
                position=evidence.neighbors.index.astype(np.int64),
                cosine=evidence.neighbors.cosine,
                jaccard=evidence.jaccard,
                retained=evidence.density.retention == Retention.RETAINED,
                reason=evidence.density.retention,
                reasons=tuple(reason.name.lower() for reason in Retention),
            ),
        ),
        principal=principal,
    )
    return ScanOutcome(
        recorded.scan,
        chosen,
        recorded.documents,
        recorded.flagged,
        recorded.alerts,
        recorded.new_alerts,
        seconds,
        state,
        recorded.already,
    )
