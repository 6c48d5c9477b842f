"""Features text by text out of the cache: what is done in time counts, what is late is there the next time."""

import threading
import time
from collections.abc import Sequence

import numpy as np
import pytest

from ragsieve_core.document import content_hash
from ragsieve_core.errors import InputError
from ragsieve_core.gate import CachedFeatures
from ragsieve_core.models.feature_cache import DiskTier, Features
from ragsieve_core.models.roles import TokenSurprisal, TokenVectors
from ragsieve_core.rsq import rsq_preset
from tests.gate_stand_ins import features_of

NONE: frozenset[str] = frozenset()


class SlowLM:
    key = "test:slow"

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds, self.seen = seconds, []

    def surprisal(self, texts: Sequence[str], *, progress: object = None) -> list[TokenSurprisal]:
        time.sleep(self.seconds * len(texts))
        self.seen += texts
        if any("broken" in text for text in texts):
            raise RuntimeError("out of memory")
        return [features_of(text).surprisal for text in texts]


class Words:
    key = "test:words"

    def __init__(self) -> None:
        self.seen: list[str] = []

    def token_vectors(self, texts: Sequence[str], *, max_tokens: int, progress: object = None) -> list[TokenVectors]:
        self.seen += texts
        return [features_of(text).vectors for text in texts]


@pytest.fixture
def make():
    made = []

    def build(seconds: float = 0.0, memory: int = 1 << 26, disk=None, **given) -> tuple[CachedFeatures, SlowLM]:
        lm = SlowLM(seconds)
        source = CachedFeatures(Features(lm, Words(), memory=memory, disk=disk), **given)
        made.append(source)
        return source, lm

    yield build
    for source in made:
        source.close()


def get(source: CachedFeatures, texts: Sequence[str], seconds: float, known=NONE):
    return source.get(texts, frozenset(texts), known, seconds)


def test_equals_the_models_and_surprisal_is_computed_where_it_is_wanted_alone(make) -> None:
    source, lm = make()
    result = source.get(["one two three", "four five", "one two three"], frozenset(["four five"]), NONE, 5)
    assert list(result.surprisal) == ["four five"] == lm.seen
    assert list(result.vectors) == ["one two three", "four five"]
    np.testing.assert_array_equal(result.surprisal["four five"].nll, features_of("four five").surprisal.nll)
    for text, found in result.vectors.items():
        np.testing.assert_array_equal(found.vectors, features_of(text).vectors.vectors.astype(np.float16))
    assert source.peek(["one two three", "four five"], NONE).surprisal == {"four five"}
    assert source.model_keys == {"causal_lm": "test:slow", "trace_encoder": "test:words,rounded=float16"}


def test_what_is_late_is_missing_and_there_the_next_time(make) -> None:
    source, _ = make(0.1)
    texts = [f"text {i}" for i in range(8)]
    started = time.monotonic()
    result = get(source, texts, 0.35)
    assert time.monotonic() - started < 0.6
    assert len(result.vectors) == 8  # first, since no candidate can be scored without the tail's
    assert 1 <= len(result.surprisal) <= 4
    deadline = time.monotonic() + 5
    while len(source.peek(texts, NONE).surprisal) < 8 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(get(source, texts, 0).surprisal) == 8


def test_at_no_time_nothing_is_begun(make) -> None:
    source, lm = make()
    assert get(source, ["a text"], 0).vectors == {}
    time.sleep(0.05)
    assert lm.seen == []


def test_a_live_call_goes_before_what_was_left_behind(make) -> None:
    source, lm = make(0.05)
    get(source, [f"left {i}" for i in range(20)], 0.01)
    assert list(get(source, ["live"], 2).surprisal) == ["live"]
    assert lm.seen.index("live") <= 4


def test_a_failing_model_fails_its_text_alone(make) -> None:
    source, _ = make()
    result = get(source, ["fine one", "broken one", "fine two"], 5)
    assert sorted(result.surprisal) == ["fine one", "fine two"]
    assert result.failed == {"broken one": "RuntimeError: out of memory"}


def test_memory_stays_under_its_limit_and_what_was_computed_is_answered(make) -> None:
    source, _ = make(memory=40_000)
    for i in range(60):
        assert len(get(source, [f"text number {i} " * 10], 5).surprisal) == 1
        assert source.held_bytes <= 40_000
    none, _ = make(memory=0)
    assert len(get(none, ["a text"], 5).surprisal) == 1
    assert none.query("which harbour", 5) is not None


def test_what_comes_beyond_the_backlog_is_missing_at_once(make) -> None:
    source, _ = make(0.3, backlog=2)
    waiting = threading.Thread(target=source.get, args=(["a"], frozenset(["a"]), NONE, 0.4))
    waiting.start()
    time.sleep(0.1)
    started = time.monotonic()
    assert "c" not in source.get(["b", "c"], frozenset(["b", "c"]), NONE, 0.05).surprisal
    assert time.monotonic() - started < 0.25
    waiting.join()
    with pytest.raises(InputError, match="backlog"):
        make(backlog=0)


def test_a_query_is_computed_once(make) -> None:
    source, _ = make()
    first, second = source.query("which harbour", 5), source.query("which harbour", 5)
    np.testing.assert_array_equal(first.vectors, second.vectors)
    assert source._own.trace_encoder._model().seen == ["which harbour"]
    source.close()
    assert source.query("another", 0.05) is None


def test_eight_threads_share_one_source(make) -> None:
    source, lm = make(0.001)
    texts = [f"shared {i}" for i in range(40)]
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(len(get(source, texts, 20).surprisal)), daemon=True)
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [40] * 8
    assert sorted(lm.seen) == sorted(texts)


def test_what_was_warmed_on_disk_is_there(make, tmp_path) -> None:
    texts = [f"warm {i}" for i in range(5)]
    Features(SlowLM(), Words(), disk=DiskTier(tmp_path / "f")).get(texts)
    source, lm = make(disk=DiskTier(tmp_path / "f"))
    assert len(get(source, texts, 0).surprisal) == 5
    assert lm.seen == []


def test_a_source_of_one_tenant_reads_the_shared_cache_for_known_texts_alone(make, tmp_path) -> None:
    disk = DiskTier(tmp_path / "f")
    shared = Features(SlowLM(), Words(), disk=disk)
    shared.get(["theirs", "ours"])
    source, lm = make(shared=shared)
    known = frozenset(["ours"])
    assert source.peek(["theirs", "ours"], known).vectors == {"ours"}
    assert list(get(source, ["theirs", "ours"], 0, known).surprisal) == ["ours"]
    assert sorted(get(source, ["theirs", "ours"], 5, known).surprisal) == ["ours", "theirs"]
    assert lm.seen == ["theirs"]
    get(source, ["mine, unseen elsewhere"], 5, known)
    assert not shared.peek(["mine, unseen elsewhere"]).vectors  # nor does anybody else find what it has computed


@pytest.mark.parametrize("rule", ["paper", "calibrated"])
def test_words_of_texts_follow_the_same_rule(make, rule) -> None:
    config = rsq_preset(rule)
    shared = Features(SlowLM(), Words())
    texts = ["the theirs text", "the ours text"]
    expected = shared.lexical_for(config)(texts)
    source, _ = make(shared=shared)
    assert list(source.lexical(texts, config, frozenset(texts[1:]))) == list(expected)
    assert list(source._own.lexical_there(texts, config)) == texts[:1]


def test_erased_texts_leave_the_memory_of_every_tenant(make, tmp_path) -> None:
    disk = DiskTier(tmp_path / "f")
    own = Features(SlowLM(), Words(), erasures=disk)
    source = CachedFeatures(own)
    get(source, ["a text", "another"], 5)
    DiskTier(tmp_path / "f").forget([content_hash("a text")])
    assert source.peek(["a text", "another"], NONE).vectors == {"another"}
    source.close()
