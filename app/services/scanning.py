"""RSG over a snapshot of the warehouse: vectors, scores, neighbours, alerts."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.access import Access
from app.services.scan_record import scan_record, sources_of
from app.services.vectors import embedded_snapshot
from ragsieve_core import __version__
from ragsieve_core.models.roles import Progress
from ragsieve_core.rsg import rsg_preset, score_corpus
from warehouse.ids import utc_now

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


def scan_corpus(
    access: Access,
    corpus: str,
    models: LoadedModels,
    *,
    rule: str = "calibrated",
    snapshot: str | None = None,
    encoder: str | None = None,
    bar: Bar = no_bar,
) -> ScanOutcome:
    """Scan a snapshot (the latest by default) and record scores, neighbours and alerts in one transaction.

    Parameters
    ----------
    corpus : name.
    models : profile whose retriever encodes documents that have no vector yet.
    rule : preset of RSG; the policy in force may change its parameters for this corpus and encoder.
    snapshot, encoder : default to the latest snapshot and to the profile's retriever.
    bar : progress display.

    Raises
    ------
    InputError : unknown rule, corpus, snapshot or encoder, or fewer than two documents.
    """
    config = rsg_preset(rule)
    with bar("encoding documents") as step:
        found = embedded_snapshot(access, corpus, models, snapshot=snapshot, encoder=encoder, progress=step)
    documents, vectors, key = found.documents, found.vectors, found.encoder
    config = access.published().policy.applied(config, corpus, key)
    stored = access.find_scan(
        snapshot=documents.snapshot, detector="rsg", config_key=config.key, encoder=key, code_version=__version__
    )
    if stored is not None:
        return ScanOutcome(
            stored["scan_id"],
            documents.snapshot,
            stored["documents"],
            stored["flagged"],
            stored["flagged"],
            0,
            stored["seconds"],
            stored["state"],
            True,
        )
    started, clock = utc_now(), time.perf_counter()
    with bar("searching neighbours") as step:
        evidence = score_corpus(
            documents.ids, documents.full_texts(), vectors, config, sources=sources_of(documents), progress=step
        )
    seconds = time.perf_counter() - clock
    record = scan_record(corpus, documents, key, evidence, started, seconds)
    recorded = access.record_scan(record)
    return ScanOutcome(
        recorded["scan"],
        documents.snapshot,
        recorded["documents"],
        recorded["flagged"],
        recorded["alerts"],
        recorded["new_alerts"],
        seconds,
        record.state,
        recorded["already"],
    )
