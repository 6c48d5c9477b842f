"""Filling the feature cache of a corpus before anybody asks, most exposed documents first."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.services.access import Access
from ragsieve_core.errors import InputError
from ragsieve_core.models.feature_cache import Features
from ragsieve_core.rsq import rsq_preset
from warehouse.snapshots import SnapshotDocuments

CHUNK = 64
"""Documents computed and stored together: an interrupted run has lost no more."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Texts to warm, in order.

    Attributes
    ----------
    snapshot : the snapshot they are of.
    texts : distinct document texts, those that past rankings held first.
    exposed : how many of them such rankings held; None where the events could not be read.
    """

    snapshot: str
    texts: tuple[str, ...]
    exposed: int | None


@dataclass(frozen=True, slots=True)
class Warmed:
    """State of a run after some chunk.

    Attributes
    ----------
    documents : distinct texts in all.
    done : of these, how many were looked at.
    computed : of those, how many had to be computed; the others were there.
    bytes : of all features of the disk tier.
    bytes_per_document : written for each computed document; 0 before the first.
    documents_per_second : computed ones only; 0 before the first.
    seconds_left : at that rate; None before the first.
    limit_reached : it ended because more would not have fitted.
    """

    documents: int
    done: int
    computed: int
    bytes: int
    bytes_per_document: float
    documents_per_second: float
    seconds_left: float | None
    limit_reached: bool = False


def plan_warming(access: Access, corpus: str, *, only_exposed: bool = False) -> Plan:
    """What to warm of the latest snapshot.

    Raises
    ------
    InputError : an empty corpus, or ``only_exposed`` where the events cannot be read.
    """
    documents = access.snapshot(corpus, None, None)
    order = access.exposure(corpus)
    if order is None and only_exposed:
        raise InputError(
            "which documents were exposed is known to the owner of the warehouse, and it does not answer now",
            where="--only-exposed",
            do="wait until the command that holds the warehouse ends, or leave the option out",
        )
    return plan_of(documents, order, only_exposed=only_exposed)


def plan_of(documents: SnapshotDocuments, order: Sequence[int] | None, *, only_exposed: bool = False) -> Plan:
    """The plan for a snapshot and the version ids of its exposed documents, most exposed first."""
    texts = documents.full_texts()
    row_of = {int(version): row for row, version in enumerate(documents.version_ids)}
    first = dict.fromkeys(texts[row_of[version]] for version in order or () if version in row_of)
    chosen = first if only_exposed else first | dict.fromkeys(texts)
    return Plan(documents.snapshot, tuple(chosen), None if order is None else len(first))


def warm(features: Features, texts: Sequence[str], step: Callable[[Warmed], None]) -> Warmed:
    """Compute what is missing of the texts' features and keep it on disk; stops before anything would be evicted.

    Parameters
    ----------
    features : with a disk tier.
    texts : in the order wanted.
    step : called after every chunk.

    Raises
    ------
    InputError : no disk tier, or the disk cannot be written.
    """
    disk = features.disk
    if disk is None:
        raise InputError("warming needs a folder to keep features in", do="leave --no-cache out")
    clock = time.perf_counter()
    begun = disk.sweep().bytes
    computed, state = 0, Warmed(len(texts), 0, 0, begun, 0.0, 0.0, None)
    for start in range(0, len(texts), CHUNK):
        part = list(texts[start : start + CHUNK])
        there = features.peek(part)
        missing = [text for text in part if text not in there.surprisal or text not in there.vectors]
        each = max(state.bytes_per_document, float(LEAST_BYTES))
        held = disk.tally().bytes
        if missing and held + len(missing) * each > disk.limit:
            state = _state(len(texts), start, computed, held, begun, clock, limit_reached=True)
            break
        features.get(part)
        features.lexical(part)
        features.lexical_for(rsq_preset("calibrated"))(part)
        computed += len(missing)
        if disk.write_error:
            raise InputError(f"features cannot be kept ({disk.write_error})", where=str(disk.folder))
        state = _state(len(texts), start + len(part), computed, disk.tally().bytes, begun, clock)
        step(state)
    features.flush()
    return state


LEAST_BYTES = 24_576
"""Assumed for a document before the first is written: four files of at least a block, and some tokens."""


def _state(
    documents: int, done: int, computed: int, held: int, begun: int, clock: float, *, limit_reached: bool = False
) -> Warmed:
    seconds = time.perf_counter() - clock
    rate = computed / seconds if computed else 0.0
    return Warmed(
        documents=documents,
        done=done,
        computed=computed,
        bytes=held,
        bytes_per_document=max(0, held - begun) / computed if computed else 0.0,
        documents_per_second=rate,
        seconds_left=(documents - done) / rate if rate else None,
        limit_reached=limit_reached,
    )
