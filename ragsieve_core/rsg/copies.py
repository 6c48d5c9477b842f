"""Copy floods: exact and near copies under different ids, which a rule against wording overlap cannot see.

Told apart from pages of one template, which share their frame and differ in their content, and from versions of one
source that were ingested again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.calibrated.usable import source_numbers
from ragsieve_core.rsg.calibrated.wording import WordSets
from ragsieve_core.rsg.knn import Neighbors
from ragsieve_core.text.unicode_words import sequence_digest, unicode_word_list

_COMPARED = 40
"""Different texts of a group that are compared to tell a template."""


class CopyKind(StrEnum):
    """What a group of copies is."""

    FLOOD = "flood"
    VERSIONS = "versions"
    TEMPLATE = "template"


@dataclass(frozen=True, slots=True)
class CopyRule:
    """Which copy groups become alerts; what it measured is in docs/why/copies.md.

    Attributes
    ----------
    name : stored with each group.
    least : smallest group, >= 2.
    places : smallest number of different known sources, or of different known contributors, >= 2. Who names neither
        says nothing of where a text came from: the same text twice from nowhere is a duplicate, not a flood.
    least_overlap : word Jaccard that holds a group together at least, in (0, 1].
    most : alerts of one group at most; the group names all its members. One look settles a flood, and the queue must
        not drown in a notice that every site carries.
    kinds : kinds of group. Templates are boilerplate and versions are one source ingested again.
    """

    name: str = "copies-3x2"
    least: int = 3
    places: int = 2
    least_overlap: float = 0.90
    most: int = 20
    kinds: tuple[CopyKind, ...] = (CopyKind.FLOOD,)

    def raises(self, kind: str, documents: int, sources: int, contributors: int) -> bool:
        """Whether a group of that kind and size, from so many known sources and contributors, is an alert."""
        return kind in self.kinds and documents >= self.least and max(sources, contributors) >= self.places


COPY_RULE = CopyRule()


@dataclass(frozen=True, slots=True)
class CopyGroup:
    """Documents that say the same in the same words.

    Attributes
    ----------
    kind : ``flood`` (several sources), ``versions`` (one source, ingested again) or ``template`` (a frame with
        different content in each).
    members : rows, increasing.
    exact : how many members have a word-for-word equal in the group (case, width and spacing aside).
    sources : number of different sources; a document without one is its own.
    least_jaccard : smallest word Jaccard of the pairs that hold the group together, in [0, 1].
    own_share : mean over members of the share of their words that no other member holds, in [0, 1]; 0 in a flood.
    """

    kind: CopyKind
    members: tuple[int, ...]
    exact: int
    sources: int
    least_jaccard: float
    own_share: float


def copy_groups(
    texts: Sequence[str],
    neighbors: Neighbors,
    jaccard: NDArray[np.float64],
    sets: WordSets,
    *,
    sources: Sequence[str | None] | None = None,
    sequence: NDArray[np.uint8] | None = None,
    copy_jaccard: float = 0.90,
    slot_share: float = 0.5,
    least: int = 2,
) -> tuple[CopyGroup, ...]:
    """Connected documents whose word sets overlap to ``copy_jaccard`` or whose word sequences are equal.

    Exact copies are found by hash, so a flood of any size is one group however short the neighbour lists are; near
    copies are found among the neighbours.

    Four or more different texts are a ``template`` if :func:`slot_variety` is ``slot_share`` or more. Everything else
    from several sources is a ``flood``: who retouches copies does not thereby make them boilerplate.

    Parameters
    ----------
    texts : N document texts.
    neighbors : nearest neighbours, (N, k).
    jaccard : float64 (N, k), word overlap with them.
    sets : words of the documents.
    sources : source of each document, None where unknown.
    sequence : uint8 (N, 16), :func:`ragsieve_core.text.unicode_words.sequence_digest` of each text, if it is known.
    copy_jaccard : overlap from which two documents are copies.
    slot_share : variety of the differing places from which a group is a template, in [0, 1].
    least : smallest group reported, >= 2.

    Returns
    -------
    groups, floods first, larger first.
    """
    count = len(texts)
    leader = list(range(count))

    def find(row: int) -> int:
        while leader[row] != row:
            leader[row] = leader[leader[row]]
            row = leader[row]
        return row

    if sequence is None:
        keys = [sequence_digest(text, unicode_word_list(text)) for text in texts]
    else:
        keys = [row.tobytes() for row in sequence]
    first: dict[bytes, int] = {}
    for row, key in enumerate(keys):
        if key in first:
            leader[find(row)] = find(first[key])
        else:
            first[key] = row
    overlap: dict[int, float] = {}
    left, place = np.nonzero(jaccard >= copy_jaccard)
    pairs = [(int(a), int(neighbors.index[a, p]), float(jaccard[a, p])) for a, p in zip(left, place, strict=True)]
    for one, other, _ in pairs:
        leader[find(one)] = find(other)
    for one, _, value in pairs:
        overlap[find(one)] = min(overlap.get(find(one), 1.0), value)
    held: dict[int, list[int]] = {}
    for row in range(count):
        held.setdefault(find(row), []).append(row)
    numbers = source_numbers(sources, count)
    groups = [
        _describe(tuple(rows), texts, keys, numbers, overlap.get(root, 1.0), sets, slot_share)
        for root, rows in held.items()
        if len(rows) >= least
    ]
    order = list(CopyKind)
    return tuple(sorted(groups, key=lambda group: (order.index(group.kind), -len(group.members), group.members)))


def _describe(
    rows: tuple[int, ...],
    texts: Sequence[str],
    keys: Sequence[bytes],
    sources: NDArray[np.int64],
    overlap: float,
    sets: WordSets,
    slot_share: float,
) -> CopyGroup:
    same = Counter(keys[row] for row in rows)
    exact = sum(number for number in same.values() if number > 1)
    distinct = sorted({keys[row]: row for row in reversed(rows)}.values())
    holders = Counter(word for row in distinct for word in sets.row(row).tolist())
    shares = [
        sum(holders[word] == 1 for word in sets.row(row).tolist()) / max(1, sets.row(row).size) for row in distinct
    ]
    own = float(np.mean(shares)) if len(distinct) > 1 else 0.0
    number = len({int(sources[row]) for row in rows})
    if number == 1:
        kind = CopyKind.VERSIONS
    elif len(distinct) >= 4 and slot_variety([texts[row] for row in distinct[:_COMPARED]]) >= slot_share:
        kind = CopyKind.TEMPLATE
    else:
        kind = CopyKind.FLOOD
    return CopyGroup(kind, rows, exact, number, overlap, own)


def slot_variety(texts: Sequence[str]) -> float:
    """How much the places where texts differ look like the slots of a template, in [0, 1].

    Words that each text holds exactly once, in one common order, are the frame; what stands between two of them is a
    gap. Mean over the gaps that differ of (1 - share of the commonest content) texts / (texts - 1): in a template every
    page fills a slot its own way (1) or with one of a few values (5 / 6 of six), in a flood of retouched copies a gap
    differs in the one or two texts that were touched there (near 1 / (texts - 1)). 0 without a differing gap.
    """
    lists = [unicode_word_list(text) for text in texts]
    counts = [Counter(words) for words in lists]
    places = [{word: place for place, word in enumerate(words)} for words in lists]
    frame: list[str] = []
    for word in lists[0]:
        if all(count[word] == 1 for count in counts) and (
            not frame or all(place[frame[-1]] < place[word] for place in places)
        ):
            frame.append(word)
    varieties = []
    for before, after in pairwise([None, *frame, None]):
        contents = Counter(
            tuple(words[0 if before is None else place[before] + 1 : len(words) if after is None else place[after]])
            for words, place in zip(lists, places, strict=True)
        )
        if len(contents) > 1:
            commonest = max(contents.values())
            varieties.append((len(lists) - commonest) / (len(lists) - 1))
    return float(np.mean(varieties)) if varieties else 0.0
