from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.rsg import CalibratedConfig, score_corpus
from ragsieve_core.rsg.campaigns import campaign_ids, campaigns

HASHES = st.frozensets(st.integers(0, 30).map(lambda number: f"{number:02d}"), min_size=2, max_size=6)


def planted(seed: int = 5) -> tuple[list[str], list[str], np.ndarray]:
    """Two planted groups of five among 90 random documents."""
    generator = np.random.default_rng(seed)
    base = generator.normal(size=(100, 32))
    words = [f"w{number:03d}" for number in range(400)]
    texts = [" ".join(generator.choice(words, 12, replace=False)) for _ in range(100)]
    for start, claim in ((90, "moon cheese"), (95, "sun copper")):
        base[start : start + 5] = generator.normal(size=32) + 0.25 * generator.normal(size=(5, 32))
        for row in range(start, start + 5):
            texts[row] += f" {claim}"
    vectors = (base / np.linalg.norm(base, axis=1, keepdims=True)).astype(np.float32)
    return [f"d{row:03d}" for row in range(100)], texts, vectors


def test_two_campaigns_with_what_they_share() -> None:
    ids, texts, vectors = planted()
    found = score_corpus(ids, texts, vectors, CalibratedConfig())
    made = campaigns(
        found,
        texts,
        contributors=[None] * 90 + ["eve"] * 4 + ["mallory"] + [None] * 5,
        batches=["b1"] * 95 + ["b2"] * 5,
    )
    one, two = sorted(made, key=lambda campaign: min(campaign.members))
    assert (sorted(one.members), sorted(two.members)) == (list(range(90, 95)), list(range(95, 100)))
    assert set(one.shared_words) == {"moon", "cheese"}
    assert one.contributors == (("eve", 4), ("mallory", 1))
    assert two.batches == (("b2", 5),)
    assert one.evidence == max(found.evidence[90:95])
    assert not set(one.context) & set(one.members)
    assert not found.flagged[list(one.context)].any()


def test_id_survives_renaming_reordering_a_member_leaving_and_one_joining() -> None:
    ids, texts, vectors = planted()
    first = campaigns(score_corpus(ids, texts, vectors, CalibratedConfig()), texts)
    order = list(range(99, -1, -1))
    moved = campaigns(
        score_corpus([f"x{row}" for row in order], [texts[r] for r in order], vectors[order], CalibratedConfig()),
        [texts[r] for r in order],
    )
    assert {one.campaign_id for one in first} == {one.campaign_id for one in moved}
    names = ["a", "b", "c", "d", "e"]
    (before,) = campaign_ids([frozenset(names)])
    earlier = [(before, frozenset(names))]
    assert campaign_ids([frozenset(names[1:])], earlier) == [before]
    assert campaign_ids([frozenset([*names, "0"])], earlier) == [before]
    # Two halves of a campaign: the larger keeps the id, the other gets one of its own
    larger, smaller = campaign_ids([frozenset("abc"), frozenset("de")], earlier)
    assert larger == before != smaller


@settings(deadline=None)
@given(st.lists(HASHES, max_size=5), st.lists(HASHES, max_size=5))
def test_ids_are_distinct_and_kept_by_a_campaign_that_did_not_change(
    now: list[frozenset[str]], before: list[frozenset[str]]
) -> None:
    # Campaigns of one scan are disjoint
    def disjoint(sets: list[frozenset[str]]) -> list[frozenset[str]]:
        kept: list[frozenset[str]] = []
        for one in sets:
            if not any(one & other for other in kept):
                kept.append(one)
        return kept

    now, before = disjoint(now), disjoint(before)
    earlier = list(zip(campaign_ids(before), before, strict=True))
    ids = campaign_ids(now, earlier)
    assert len(set(ids)) == len(ids)
    for name, members in earlier:
        if members in now:
            assert ids[now.index(members)] == name


def test_no_alert_no_campaign() -> None:
    ids, texts, vectors = planted()
    found = score_corpus(ids[:90], texts[:90], vectors[:90], CalibratedConfig())
    assert campaigns(found, texts[:90]) == ()
