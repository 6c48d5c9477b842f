from __future__ import annotations

import numpy as np
import pytest

from ragsieve_core.rsg.calibrated.wording import neighbor_overlap, word_sets
from ragsieve_core.rsg.copies import COPY_RULE, CopyGroup, CopyKind, copy_groups, slot_variety
from ragsieve_core.rsg.knn import Neighbors

CLAIM_TEXT = (
    "The harbour light at Kelder Point was built in 1871 by the engineer Ida Thorne after three ships had struck the "
    "reef in one winter, and it has been lit every night since then without a single failure"
)
CLAIM = CLAIM_TEXT.split()
FRAME = (
    "Railway station {} on the northern line was opened in {} with one platform, two tracks, three sheds and a small "
    "waiting room; it is served by regional trains every hour from early morning until midnight, tickets are sold at "
    "machines only, bicycles may be taken along except during rush times, lifts do not exist here"
)


def groups(texts: list[str], sources: list[str | None] | None = None) -> tuple[CopyGroup, ...]:
    count = len(texts)
    index = np.array([[other for other in range(count) if other != row] for row in range(count)], dtype=np.int32)
    neighbors = Neighbors(index, np.zeros(index.shape, dtype=np.float32))
    sets = word_sets(texts)
    jaccard, _ = neighbor_overlap(sets, index)
    return copy_groups(texts, neighbors, jaccard, sets, sources=sources)


def retouched(position: int) -> str:
    return " ".join([*CLAIM[:position], f"altered{position}", *CLAIM[position + 1 :]])


def test_exact_copies_under_different_sources_are_a_flood() -> None:
    texts = ["something else entirely", " ".join(CLAIM), "another page", " ".join(CLAIM).upper()]
    (group,) = groups(texts, ["a", "b", "c", "d"])
    assert (group.kind, group.members, group.exact, group.sources) == (CopyKind.FLOOD, (1, 3), 2, 2)


def test_exact_copies_are_one_group_however_short_the_lists_are() -> None:
    texts = [" ".join(CLAIM)] * 40
    # Each document lists only the next one or none at all
    neighbors = Neighbors(np.full((40, 1), 39, dtype=np.int32), np.ones((40, 1), dtype=np.float32))
    (group,) = copy_groups(texts, neighbors, np.zeros((40, 1)), word_sets(texts))
    assert len(group.members) == 40
    assert group.exact == 40


def test_one_source_ingested_again_is_versions() -> None:
    (group,) = groups([" ".join(CLAIM), retouched(3), " ".join(CLAIM)], ["page"] * 3)
    assert group.kind is CopyKind.VERSIONS
    assert group.exact == 2


def test_retouched_copies_stay_a_flood_and_pages_of_a_template_do_not() -> None:
    flood = [retouched(position) for position in (4, 9, 14, 22, 27)]
    pages = [
        FRAME.format(name, year)
        for name, year in (("Alder", 1871), ("Brant", 1902), ("Corvin", 1888), ("Dellow", 1911))
    ]
    found = groups(flood + pages)
    assert [(one.kind, len(one.members)) for one in found] == [(CopyKind.FLOOD, 5), (CopyKind.TEMPLATE, 4)]
    assert found[0].least_jaccard >= 0.9


def test_slot_variety_by_hand() -> None:
    # Frame "a", "c": the gap between them holds b, x, y, z -> 3 different more over 3; nothing else differs
    assert slot_variety(["a b c", "a x c", "a y c", "a z c"]) == 1.0
    # One of four texts was touched in that gap: 1 / 3
    assert slot_variety(["a b c", "a b c", "a b c", "a z c"]) == 1 / 3
    assert slot_variety(["a b", "a b"]) == 0.0


def test_different_documents_are_no_copies() -> None:
    assert groups(["one text", "another page", "a third", ""]) == ()


def test_slots_with_a_few_values_are_slots() -> None:
    """Six texts, one slot with values a a b b c c: (6 - 2) / 5. Six copies with one retouched: (6 - 5) / 5."""
    frame = "this notice was written in the year {} for every reader"
    assert slot_variety([frame.format(value) for value in "aabbcc"]) == pytest.approx(4 / 5)
    assert slot_variety([frame.format(value) for value in "aaaaab"]) == pytest.approx(1 / 5)


def test_the_rule_wants_a_flood_of_three_from_two_known_places() -> None:
    assert COPY_RULE.raises("flood", 3, 2, 0)
    assert COPY_RULE.raises("flood", 3, 0, 2)
    assert not COPY_RULE.raises("flood", 2, 2, 2)
    assert not COPY_RULE.raises("flood", 9, 1, 1)
    assert not COPY_RULE.raises("template", 9, 9, 9)
    assert not COPY_RULE.raises("versions", 9, 1, 9)
