"""RSG over a snapshot of the warehouse: vectors, scores, neighbours, alerts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.services.access import Access
from app.services.neighborhoods import find_neighborhoods
from app.services.readings import find_reading
from app.services.scan_record import scan_record, sources_of
from app.services.vectors import embedded_snapshot
from app.services.waiting import Say
from ragsieve_core import __version__
from ragsieve_core.models.roles import Progress
from ragsieve_core.rsg import CalibratedConfig, rsg_preset, score_corpus
from warehouse.ids import utc_now

if TYPE_CHECKING:
    from ragsieve_core.models.loading import LoadedModels

Bar = Callable[[str], AbstractContextManager[Progress | None]]
"""Opens a progress display with a title."""


def no_bar(title: str) -> AbstractContextManager[Progress | None]:
    """No display at all."""
    return nullcontext()


def silent(text: str) -> None:
    """Says nothing."""


@dataclass(frozen=True, slots=True)
class ScanOutcome:
    """What a scan did; ``already`` = the same scan was stored before and nothing was computed.

    ``copies`` and ``new_copies`` are alerts of copies, apart from ``alerts``. ``search`` says how the neighbours were
    found (:class:`app.services.neighborhoods.Neighborhoods`) and, by the `calibrated` rule, which texts were read
    (:func:`app.services.readings.find_reading`), ``changes`` what is new since the previous scan (fields
    of :class:`warehouse.scan_changes.ScanChanges`); both are empty where nothing was computed.
    """

    scan: str
    snapshot: str
    documents: int
    flagged: int
    alerts: int
    new_alerts: int
    seconds: float
    state: str
    already: bool
    copies: int = 0
    new_copies: int = 0
    search: Mapping[str, Any] = field(default_factory=dict)
    changes: Mapping[str, Any] = field(default_factory=dict)


def scan_corpus(
    access: Access,
    corpus: str,
    models: LoadedModels,
    *,
    rule: str = "calibrated",
    snapshot: str | None = None,
    encoder: str | None = None,
    bar: Bar = no_bar,
    say: Say = silent,
) -> ScanOutcome:
    """Scan a snapshot (the latest by default) and record scores, neighbours and alerts in one transaction.

    Parameters
    ----------
    corpus : name.
    models : profile whose retriever encodes documents that have no vector yet.
    rule : preset of RSG; the policy in force may change its parameters for this corpus and encoder.
    snapshot, encoder : default to the latest snapshot and to the profile's retriever.
    bar : progress display.
    say : takes a line for the person at the terminal.

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
    texts, sources = documents.full_texts(), sources_of(documents)
    with bar("searching neighbours") as step:
        near = find_neighborhoods(access.side, documents, vectors, key, config.k, say=say, progress=step)
    search, reading = dict(near.search), None
    if isinstance(config, CalibratedConfig):
        reading, how = find_reading(access.side, documents.corpus_id, texts, config.stray_families, say=say)
        search |= how
    evidence = score_corpus(
        documents.ids, texts, vectors, config, sources=sources, previous=near.state, reading=reading
    )
    seconds = time.perf_counter() - clock
    record = scan_record(corpus, documents, key, evidence, started, seconds, search=search)
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
        recorded.get("copies", 0),
        recorded.get("new_copies", 0),
        search,
        recorded.get("changes", {}),
    )
