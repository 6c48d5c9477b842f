"""A scan from an earlier state gives what a scan from nothing gives, after any changes of texts and vectors."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.errors import InputError
from ragsieve_core.rsg import CalibratedConfig, CorpusEvidence, RSGConfig, score_corpus
from ragsieve_core.rsg import features as features_module
from ragsieve_core.rsg.calibrated.wording import word_sets
from ragsieve_core.rsg.campaigns import campaigns
from ragsieve_core.rsg.copies import copy_groups
from ragsieve_core.rsg.features import TextFeatures, text_features
from ragsieve_core.rsg.rescan import ScanState, rescan

STEP = st.tuples(
    st.sampled_from([0.0, 0.05, 0.6]), st.sampled_from([0.0, 0.1, 0.5]), st.sampled_from([0.0, 0.1]),
    st.sampled_from([0, 1, 7, 40]), st.booleans(),
)  # fmt: skip
WORDS = ["red", "fox", "category", "categorise", "x9", "Straße", "ﬁn", "Kelvin", "собака", "Моscow", "中文", "µm", "éa"]


def assert_equal(one: CorpusEvidence, two: CorpusEvidence) -> None:
    for name in ("jaccard", "tail_probability", "integrity", "topology_score", "score", "flagged"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    np.testing.assert_array_equal(one.neighbors.index, two.neighbors.index)
    np.testing.assert_array_equal(one.neighbors.cosine.view(np.uint32), two.neighbors.cosine.view(np.uint32))
    for name in ("floor", "retention", "eligible_neighbors", "mean_cosine", "density"):
        np.testing.assert_array_equal(getattr(one.density, name), getattr(two.density, name))


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.integers(3, 60), st.integers(2, 60), st.integers(1, 9),
    st.lists(STEP, min_size=1, max_size=4), st.booleans(),
)  # fmt: skip
def test_any_sequence_equals_a_scan_from_nothing(
    seed: int, values: int, count: int, k: int, steps: list[tuple[float, float, float, int, bool]], hashed: bool
) -> None:
    rng = np.random.default_rng(seed)
    config = RSGConfig(k=k, cosine_cut=0.3)
    pool = rng.standard_normal((values, 5))
    pool = (pool / np.linalg.norm(pool, axis=1, keepdims=True)).astype(np.float32)

    def text() -> str:
        # Few words and repeats, so that whole texts recur under other ids
        return " ".join(rng.choice(WORDS, rng.integers(0, 5)))

    ids, x, texts = (
        [f"d{i}" for i in range(count)],
        pool[rng.integers(0, values, count)],
        [text() for _ in range(count)],
    )
    state: ScanState | None = None
    for number, (removed, changed, revised, added, shuffled) in enumerate([(0.0, 0.0, 0.0, 0, False), *steps]):
        keep = np.flatnonzero(rng.random(len(ids)) >= removed).tolist()
        ids, x, texts = [ids[row] for row in keep], x[keep].copy(), [texts[row] for row in keep]
        for row in np.flatnonzero(rng.random(len(ids)) < changed):
            texts[row] = text()
        for row in np.flatnonzero(rng.random(len(ids)) < revised):
            x[row] = pool[rng.integers(0, values)]
        new = max(added, 2 - len(ids))
        ids += [f"n{number}.{i}" for i in range(new)]
        texts += [text() for _ in range(new)]
        x = np.concatenate([x, pool[rng.integers(0, values, new)]])
        order = rng.permutation(len(ids)) if shuffled else np.arange(len(ids))
        ids, texts, x = [ids[row] for row in order], [texts[row] for row in order], x[order]
        keys = [f"{hash(one):x}" for one in texts] if hashed else None
        found, state, _ = rescan(ids, texts, x, config, previous=state, keys=keys)
        assert_equal(found, score_corpus(ids, texts, x, config))


def test_only_new_texts_and_pairs_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{word}" for word in rng.choice(50, 8)) for _ in range(40)]
    index = np.array(
        [[other for other in rng.permutation(40) if other != row][:5] for row in range(40)], dtype=np.int32
    )
    first = text_features(texts, index)
    read: list[int] = []
    tokens, pairs = features_module.numbered_token_sets, features_module.pair_jaccard
    monkeypatch.setattr(features_module, "numbered_token_sets", lambda t, v: (read.append(len(t)), tokens(t, v))[1])
    monkeypatch.setattr(features_module, "pair_jaccard", lambda s, a, b: (read.append(a.size), pairs(s, a, b))[1])
    again = text_features(texts, index[:, ::-1], previous=first)
    assert read == [0, 0]
    np.testing.assert_array_equal(again.jaccard, first.jaccard[:, ::-1])
    # One text changed: itself, its five pairs, and those of the lists it stands in
    read.clear()
    changed = [*texts[:-1], "something else"]
    text_features(changed, index, previous=again)
    assert read == [1, 5 + int((index[:-1] == 39).sum())]


def test_words_of_texts_that_are_gone_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features_module, "_SPARE_WORDS", 10)
    index = np.array([[1], [0]], dtype=np.int32)
    held = text_features(["a b", "c d"], index)
    for turn in range(30):
        held = text_features([f"a{turn} b{turn} z", f"c{turn} z"], index, previous=held)
        assert held.sets.number.size <= 2 * 5 + 10
        assert held.jaccard.tolist() == [[0.25], [0.25]]


def test_a_saved_state_is_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((50, 6))
    x = (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)
    ids = [f"d{i}" for i in range(50)]
    texts = [" ".join(rng.choice([*WORDS, "extraordinarily", "\ud800"], 4)) for _ in ids]
    _, state, _ = rescan(ids[:40], texts[:40], x[:40], RSGConfig(k=4))
    state.save(tmp_path / "scan")
    state.save(tmp_path / "scan")
    found, _, report = rescan(ids, texts, x, RSGConfig(k=4), previous=ScanState.load(tmp_path / "scan"))
    assert_equal(found, score_corpus(ids, texts, x, RSGConfig(k=4)))
    assert report.fresh == 10
    with pytest.raises(InputError, match="text features"):
        TextFeatures.load(tmp_path)
    with pytest.raises(InputError, match="one embedding per document"):
        rescan(ids, texts[:3], x, RSGConfig())
    with pytest.raises(InputError, match="2 keys"):
        text_features(["a", "b", "c"], np.zeros((3, 1), dtype=np.int32), keys=["x", "y"])


CONFIG = CalibratedConfig(k=9, keep=6, group_sizes=(3, 4, 5), evidence_cut=0.4, tail_start=0.1, tail_end=0.3)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.integers(3, 60), st.integers(2, 60),
    st.lists(STEP, min_size=1, max_size=4), st.booleans(),
)  # fmt: skip
def test_any_sequence_equals_a_calibrated_scan_from_nothing(
    seed: int, values: int, count: int, steps: list[tuple[float, float, float, int, bool]], hashed: bool
) -> None:
    rng = np.random.default_rng(seed)
    pool = rng.standard_normal((values, 5))
    pool = (pool / np.linalg.norm(pool, axis=1, keepdims=True)).astype(np.float32)

    def text() -> str:
        return " ".join(rng.choice(WORDS, rng.integers(0, 5)))

    ids, x, texts = (
        [f"d{i}" for i in range(count)],
        pool[rng.integers(0, values, count)],
        [text() for _ in range(count)],
    )
    state: ScanState | None = None
    for number, (removed, changed, revised, added, shuffled) in enumerate([(0.0, 0.0, 0.0, 0, False), *steps]):
        keep = np.flatnonzero(rng.random(len(ids)) >= removed).tolist()
        ids, x, texts = [ids[row] for row in keep], x[keep].copy(), [texts[row] for row in keep]
        for row in np.flatnonzero(rng.random(len(ids)) < changed):
            texts[row] = text()
        for row in np.flatnonzero(rng.random(len(ids)) < revised):
            x[row] = pool[rng.integers(0, values)]
        new = max(added, 2 - len(ids))
        ids += [f"n{number}.{i}" for i in range(new)]
        texts += [text() for _ in range(new)]
        x = np.concatenate([x, pool[rng.integers(0, values, new)]])
        order = rng.permutation(len(ids)) if shuffled else np.arange(len(ids))
        ids, texts, x = [ids[row] for row in order], [texts[row] for row in order], x[order]
        sources = [None if row % 3 else f"s{row % 12}" for row in range(len(ids))]
        keys = [f"{hash(one):x}" for one in texts] if hashed else None
        if state is not None and hashed:
            # By way of files
            with tempfile.TemporaryDirectory() as folder:
                state.save(Path(folder) / "scan")
                state = ScanState.load(Path(folder) / "scan")
                state = replace(state, neighbors=replace(state.neighbors, vectors=state.neighbors.vectors.copy()))
        found, state, _ = rescan(ids, texts, x, CONFIG, sources=sources, previous=state, keys=keys)
        whole = score_corpus(ids, texts, x, CONFIG, sources=sources)
        assert_equal(found, whole)
        for name in ("evidence", "expected_number", "group", "strongest"):
            np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))
        assert (found.groups, found.islands) == (whole.groups, whole.islands)
        assert (found.radius, found.expected_at_cut) == (whole.radius, whole.expected_at_cut)
        assert found.words.words == whole.words.words
        np.testing.assert_array_equal(found.words.rarity, whole.words.rarity)
        assert campaigns(found, texts) == campaigns(whole, texts)
        kept = copy_groups(
            texts, found.neighbors, found.jaccard, found.words, sources=sources, sequence=found.reading.sequence
        )
        assert kept == copy_groups(texts, whole.neighbors, whole.jaccard, word_sets(texts), sources=sources)


def test_a_state_of_one_rule_serves_the_other(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    x = rng.standard_normal((60, 6))
    x = (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)
    ids, texts = [f"d{i}" for i in range(60)], [" ".join(rng.choice(WORDS, 4)) for _ in range(60)]
    _, state, _ = rescan(ids[:50], texts[:50], x[:50], CONFIG)
    state.save(tmp_path / "scan")
    assert (tmp_path / "scan" / "pairs").exists()
    found, after, report = rescan(ids, texts, x, RSGConfig(k=4), previous=ScanState.load(tmp_path / "scan"))
    assert report.fresh == 10
    assert_equal(found, score_corpus(ids, texts, x, RSGConfig(k=4)))
    after.save(tmp_path / "scan")
    assert not (tmp_path / "scan" / "reading").exists()
    assert not (tmp_path / "scan" / "pairs").exists()
    again, _, _ = rescan(ids, texts, x, CONFIG, previous=ScanState.load(tmp_path / "scan"))
    assert_equal(again, score_corpus(ids, texts, x, CONFIG))
