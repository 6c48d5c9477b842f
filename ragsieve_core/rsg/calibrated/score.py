"""RSG of a corpus by the `calibrated` rule: absolute evidence of small groups, nothing shared out from a budget."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.rsg.calibrated.config import CalibratedConfig
from ragsieve_core.rsg.calibrated.groups import GroupEvidence, group_evidence
from ragsieve_core.rsg.calibrated.islands import own_vocabulary
from ragsieve_core.rsg.calibrated.null import CleanTail
from ragsieve_core.rsg.calibrated.reading import TextReading, read_texts
from ragsieve_core.rsg.calibrated.usable import UsableNeighbors, usable_neighbors
from ragsieve_core.rsg.calibrated.wording import WordSets, neighbor_overlap
from ragsieve_core.rsg.density import Density, Retention
from ragsieve_core.rsg.evidence import CorpusEvidence
from ragsieve_core.rsg.knn import Neighbors
from ragsieve_core.workers import run_tasks


@dataclass(frozen=True, slots=True)
class SuspectGroup:
    """One group with the evidence a reviewer is shown.

    Attributes
    ----------
    members : rows of its documents, increasing.
    evidence, isolation, jaccard, contrast, compactness : see :class:`GroupEvidence`.
    own_vocabulary : share of its words found nowhere else, in [0, 1].
    expected_number : documents of the corpus expected to reach this evidence if none were planted.
    """

    members: tuple[int, ...]
    evidence: float
    isolation: float
    jaccard: float
    contrast: float
    compactness: float
    own_vocabulary: float
    expected_number: float


@dataclass(frozen=True, slots=True)
class CalibratedEvidence(CorpusEvidence):
    """RSG of N documents by the `calibrated` rule: what `paper` gives and the evidence of groups.

    In the shared fields ``neighbors`` and ``jaccard`` are the whole search, unicode words. ``density.retention`` says
    of each neighbour whether it is a fellow of the document's strongest group, and if not why. ``density`` is
    1 - mean distance to those fellows / distance to the farthest usable neighbour. ``tail_probability`` is the
    expected share of clean documents with as much evidence. ``topology_score`` is the logistic curve
    1 / (1 + exp(-2 (E - cut))).

    Attributes
    ----------
    evidence : float64 (N,), strongest E of the groups that hold the document; -inf in none.
    expected_number : float64 (N,), documents expected to reach that evidence if none were planted. An increment of m
        documents counts m times ``tail_probability``.
    group : int32 (N,), place in ``groups`` of the strongest alerting group that holds the document, -1 for none.
    groups : alerting groups, strongest first; no document is in two.
    islands : groups that would alert but are language islands, strongest first; not flagged.
    strongest : int32 (N, largest size), members of the group behind ``evidence``, -1 filled.
    radius : R of the corpus, the encoder's own scale.
    expected_at_cut : documents expected to alert if none were planted.
    evidence_cut : evidence from which a group alerts.
    reading : what was read from the texts, for what else needs it (copy groups, campaigns) and for the next scan.
    """

    evidence: NDArray[np.float64]
    expected_number: NDArray[np.float64]
    group: NDArray[np.int32]
    groups: tuple[SuspectGroup, ...]
    islands: tuple[SuspectGroup, ...]
    strongest: NDArray[np.int32]
    radius: float
    expected_at_cut: float
    evidence_cut: float
    reading: TextReading = field(repr=False, compare=False)

    @property
    def words(self) -> WordSets:
        """Word sets of the texts."""
        return self.reading.sets


def score_calibrated(
    ids: Sequence[str],
    texts: Sequence[str],
    neighbors: Neighbors,
    config: CalibratedConfig,
    *,
    sources: Sequence[str | None] | None = None,
    reading: TextReading | None = None,
    overlap: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
) -> CalibratedEvidence:
    """The `calibrated` rule after any exact search.

    Parameters
    ----------
    ids : N document ids.
    texts : N document texts (with titles).
    neighbors : their ``config.k`` nearest neighbours, fewer only in a smaller corpus.
    config : parameters.
    sources : source of each document (a page, a file), None where unknown. Pieces of one source are no evidence.
    reading : of these texts by :func:`ragsieve_core.rsg.calibrated.reading.read_texts`; done here unless it is given.
    overlap : word overlap with these neighbours, plain and weighted:
        :meth:`ragsieve_core.rsg.calibrated.pair_words.PairWords.overlap`; worked out here unless it is given.

    Raises
    ------
    InputError : numbers of ids, texts, sources and rows that differ.
    """
    count = neighbors.index.shape[0]
    if not len(ids) == len(texts) == count or (sources is not None and len(sources) != count):
        raise InputError(
            f"{len(ids)} ids, {len(texts)} texts, {count} neighbour lists"
            + ("" if sources is None else f" and {len(sources)} sources"),
            expected="one of each per document, in the same order",
        )
    if reading is None:
        reading, _ = read_texts(texts, stray_families=config.stray_families)
    elif len(reading.keys) != count or reading.stray_families != config.stray_families:
        raise InputError(
            f"a reading of {len(reading.keys)} texts with stray_families = {reading.stray_families}",
            expected=f"of the {count} texts, with {config.stray_families}",
        )
    sets = reading.sets
    jaccard, weighted = neighbor_overlap(sets, neighbors.index) if overlap is None else overlap
    usable = usable_neighbors(neighbors, jaccard, weighted, sources, config)
    found = group_evidence(usable, config)
    evidence, best, judged = _strongest_groups(found, sets, config)
    null = CleanTail.of(evidence, config)
    share = null.share(evidence)
    alerting = _disjoint(found, np.flatnonzero(judged >= config.evidence_cut), sets, null)
    group = np.full(count, -1, dtype=np.int32)
    for place, one in enumerate(alerting):
        group[list(one.members)] = place
    island = (found.evidence.ravel() >= config.evidence_cut) & np.isneginf(judged)
    integrity = reading.suspicious.astype(np.float64)
    topology = 1.0 / (1.0 + np.exp(-2.0 * np.clip(evidence - config.evidence_cut, -300.0, 300.0)))
    topology = np.where(evidence >= config.evidence_cut, np.maximum(topology, 0.5), np.minimum(topology, _BELOW_HALF))
    score = np.maximum(topology, integrity)
    strongest = _members_of(found, best)
    return CalibratedEvidence(
        document_ids=tuple(ids),
        neighbors=neighbors,
        jaccard=jaccard,
        density=_density(neighbors, usable, strongest),
        tail_probability=share,
        integrity=integrity,
        topology_score=topology,
        score=score,
        flagged=score >= config.threshold,
        config=config,
        evidence=evidence,
        expected_number=count * share,
        group=group,
        groups=alerting,
        islands=_disjoint(found, np.flatnonzero(island), sets, null),
        strongest=strongest,
        radius=usable.radius,
        expected_at_cut=count * float(null.share(np.array([config.evidence_cut]))[0]),
        evidence_cut=config.evidence_cut,
        reading=reading,
    )


_ROWS = 4096
"""Documents whose neighbours are given a reason at once; bounds memory."""
_BELOW_HALF = float(np.nextafter(0.5, 0.0))


def _strongest_groups(
    found: GroupEvidence, sets: WordSets, config: CalibratedConfig
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Per document the evidence of its strongest group and that group's flat number (-1: none), islands left out.

    The third is the evidence of every group, flat, islands at -inf.
    """
    count, sizes = found.evidence.shape
    flat = found.evidence.ravel().copy()
    asked = np.flatnonzero(flat >= config.tail_start)
    column = asked % max(sizes, 1)
    for place, size in enumerate(found.sizes):
        some = asked[column == place]
        if some.size:
            # Many documents have the same group
            held = np.sort(found.members[some // sizes, :size], axis=1)
            _, first, inverse = np.unique(
                held.view(f"V{held.itemsize * size}").ravel(), return_index=True, return_inverse=True
            )
            island = own_vocabulary(sets, held[first]) >= config.island_share
            flat[some[island[inverse]]] = -np.inf
    evidence = np.full(count, -np.inf)
    best = np.full(count, flat.size, dtype=np.int64)
    finite = [np.flatnonzero(np.isfinite(flat[place::sizes])) for place in range(sizes)]
    for place, size in enumerate(found.sizes):
        value = flat[finite[place] * sizes + place]
        for position in range(size):
            np.maximum.at(evidence, found.members[finite[place], position], value)
    for place, size in enumerate(found.sizes):
        number = finite[place] * sizes + place
        for position in range(size):
            member = found.members[finite[place], position]
            # Of equally strong ones the first
            top = flat[number] == evidence[member]
            np.minimum.at(best, member[top], number[top])
    return evidence, np.where(best < flat.size, best, -1), flat


def _members(found: GroupEvidence, number: int) -> NDArray[np.int32]:
    row, column = divmod(number, len(found.sizes))
    return found.members[row, : found.sizes[column]]


def _members_of(found: GroupEvidence, best: NDArray[np.int64]) -> NDArray[np.int32]:
    """Members of each document's strongest group, -1 filled."""
    if not found.sizes:
        return np.full(found.members.shape, -1, dtype=np.int32)
    row, column = np.divmod(best, len(found.sizes))
    size = np.where(best >= 0, np.array(found.sizes)[column], 0)
    held = np.arange(found.members.shape[1]) < size[:, None]
    return np.where(held, found.members[row], -1).astype(np.int32)


def _disjoint(
    found: GroupEvidence, numbers: NDArray[np.int64], sets: WordSets, null: CleanTail
) -> tuple[SuspectGroup, ...]:
    """Groups of those flat numbers, strongest first, none sharing a document with a stronger one."""
    flat = {name: getattr(found, name).ravel() for name in ("evidence", "isolation", "jaccard", "contrast")}
    flat["compactness"] = found.compactness.ravel()
    taken: set[int] = set()
    kept: list[int] = []
    of_size: dict[int, list[int]] = {size: [] for size in found.sizes}
    for number in numbers[np.argsort(-flat["evidence"][numbers], kind="stable")].tolist():
        members = _members(found, number).tolist()
        if taken.isdisjoint(members):
            taken.update(members)
            kept.append(number)
            of_size[len(members)].append(number)
    own: dict[int, float] = {}
    for size, some in of_size.items():
        if some:
            rows = found.members[np.array(some) // len(found.sizes), :size]
            own |= zip(some, own_vocabulary(sets, rows).tolist(), strict=True)
    expected = found.evidence.shape[0] * null.share(flat["evidence"][kept])
    return tuple(
        SuspectGroup(
            tuple(sorted(_members(found, number).tolist())),
            **{name: float(column[number]) for name, column in flat.items()},
            own_vocabulary=own[number],
            expected_number=number_expected,
        )
        for number, number_expected in zip(kept, expected.tolist(), strict=True)
    )


def _density(neighbors: Neighbors, usable: UsableNeighbors, strongest: NDArray[np.int32]) -> Density:
    """The shared fields: fellows of the strongest group as retained neighbours, the rest with a reason."""
    count = neighbors.index.shape[0]
    retention = np.full(neighbors.index.shape, Retention.OUTSIDE_GROUP, dtype=np.uint8)
    total, eligible = np.empty(count), np.empty(count, dtype=np.int32)

    def retain(start: int) -> None:
        part = slice(start, start + _ROWS)
        index, reason = neighbors.index[part], retention[part]
        for member in strongest[part].T:
            reason[index == member[:, None]] = Retention.RETAINED
        reason[usable.same_source[part]] = Retention.SAME_SOURCE
        reason[usable.copy[part]] = Retention.COPY
        retained = reason == Retention.RETAINED
        eligible[part] = retained.sum(axis=1)
        total[part] = np.where(retained, neighbors.cosine[part].astype(np.float64), 0.0).sum(axis=1)

    deque(run_tasks(retain, range(0, count, _ROWS)), maxlen=0)
    # The distance of the farthest usable neighbour, back to a cosine
    floor = 1.0 - (usable.distance[:, -1] - usable.floor)
    mean = np.where(eligible > 0, total / np.maximum(eligible, 1), floor)
    rise = np.clip((mean - floor) / np.maximum(1e-6, 1.0 - floor), 0.0, 1.0)
    return Density(floor.astype(np.float32), retention, eligible, mean, rise.astype(np.float32))
