"""Campaigns: alerting documents that belong together, with an id that outlives a scan."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from ragsieve_core.rsg.calibrated.score import CalibratedEvidence
from ragsieve_core.rsg.density import Retention


@dataclass(frozen=True, slots=True)
class Campaign:
    """Alerting documents joined over mutual retained edges.

    Attributes
    ----------
    campaign_id : ``c-`` and 16 hex digits; a campaign of an earlier scan that shares most of its members keeps its id.
    members : rows, strongest evidence first, then by id.
    context : rows of documents that do not alert but stand among the nearest usable of a member; never members.
    evidence : strongest evidence of a member.
    expected_number : documents expected to reach it if none were planted.
    shared_words : words every member holds, rarest in the corpus first, at most 20.
    contributors, batches, sources : (name, members) pairs, most first; members without one are not counted.
    """

    campaign_id: str
    members: tuple[int, ...]
    context: tuple[int, ...]
    evidence: float
    expected_number: float
    shared_words: tuple[str, ...]
    contributors: tuple[tuple[str, int], ...]
    batches: tuple[tuple[str, int], ...]
    sources: tuple[tuple[str, int], ...]


def campaigns(
    found: CalibratedEvidence,
    texts: Sequence[str],
    *,
    content_hashes: Sequence[str] | None = None,
    contributors: Sequence[str | None] | None = None,
    batches: Sequence[str | None] | None = None,
    sources: Sequence[str | None] | None = None,
    earlier: Sequence[tuple[str, frozenset[str]]] = (),
) -> tuple[Campaign, ...]:
    """Campaigns of a scan, strongest first.

    Two alerting documents are joined if each is a fellow in the other's strongest group and each is among the other's
    usable neighbours. Hangers-on of one side only are left out, so chains of pages do not percolate.

    Parameters
    ----------
    found : the scan.
    texts : N document texts.
    content_hashes : stable hash of each document, by default SHA-256 of its text. Ids are made of them: a campaign
        does not change its id because a row moved or a document was renamed.
    contributors, batches, sources : of each document, None where unknown.
    earlier : (campaign id, content hashes of its members) of earlier scans, newest first. A campaign takes the id of
        the earlier one it shares most documents with, if that is more than half of either; each id goes to one
        campaign, largest overlap first. Without one the id is a hash of the smallest content hash.
    """
    alerting = np.flatnonzero(found.evidence >= found.evidence_cut).tolist()
    joined = _components(found, alerting)
    hashes = content_hashes or [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
    ids = campaign_ids([frozenset(hashes[row] for row in rows) for rows in joined], earlier)
    made = []
    for name, rows in zip(ids, joined, strict=True):
        order = sorted(rows, key=lambda row: (-float(found.evidence[row]), found.document_ids[row]))
        shared = reduce(np.intersect1d, (found.words.row(row) for row in rows)).tolist()
        # The vocabulary is sorted: equally rare words go by it
        shared.sort(key=lambda word: (int(found.words.frequency[word]), word))
        made.append(
            Campaign(
                name,
                tuple(order),
                _context(found, rows),
                float(found.evidence[order[0]]),
                float(found.expected_number[order[0]]),
                tuple(found.words.words[word] for word in shared[:20]),
                _named(contributors, rows),
                _named(batches, rows),
                _named(sources, rows),
            )
        )
    return tuple(sorted(made, key=lambda one: (-one.evidence, one.campaign_id)))


def campaign_ids(members: Sequence[frozenset[str]], earlier: Sequence[tuple[str, frozenset[str]]] = ()) -> list[str]:
    """Ids of campaigns with those content hashes, kept from ``earlier`` ones where they are the same campaign."""
    claims = sorted(
        (
            (-len(now & before), age, place)
            for place, now in enumerate(members)
            for age, (_, before) in enumerate(earlier)
            if 2 * len(now & before) > min(len(now), len(before))
        ),
    )
    ids: dict[int, str] = {}
    for _, age, place in claims:
        name = earlier[age][0]
        if place not in ids and name not in ids.values():
            ids[place] = name
    taken = set(ids.values())
    for place, now in enumerate(members):
        if place in ids:
            continue
        # An id that an earlier campaign holds is not given to another one
        name = next(made for made in map(_hashed, sorted(now)) if made not in taken)
        ids[place] = name
        taken.add(name)
    return [ids[place] for place in range(len(members))]


def _hashed(content: str) -> str:
    return "c-" + hashlib.sha256(b"campaign\0" + content.encode()).hexdigest()[:16]


def _components(found: CalibratedEvidence, alerting: Sequence[int]) -> list[tuple[int, ...]]:
    fellows = {row: _fellows(found, row) for row in alerting}
    left = set(alerting)
    groups = []
    for row in alerting:
        if row not in left:
            continue
        left.discard(row)
        group, reach = [row], [row]
        while reach:
            here = reach.pop()
            near = sorted(other for other in fellows[here] & left if here in fellows[other])
            left.difference_update(near)
            group.extend(near)
            reach.extend(near)
        if len(group) > 1:
            groups.append(tuple(sorted(group)))
    return groups


def _fellows(found: CalibratedEvidence, row: int) -> frozenset[int]:
    retained = found.density.retention[row] == Retention.RETAINED
    return frozenset(found.neighbors.index[row][retained].tolist())


def _context(found: CalibratedEvidence, rows: Sequence[int]) -> tuple[int, ...]:
    near: set[int] = set()
    for row in rows:
        usable = ~np.isin(found.density.retention[row], (Retention.SAME_SOURCE, Retention.COPY))
        near.update(found.neighbors.index[row][usable][:8].tolist())
    return tuple(sorted(near - set(rows)))


def _named(names: Sequence[str | None] | None, rows: Sequence[int]) -> tuple[tuple[str, int], ...]:
    counts = Counter(name for row in rows if names is not None and (name := names[row]))
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
