"""Features computed one document at a time: what is done in time counts, what is late is there the next time."""

import threading
import time
from collections.abc import Sequence

import numpy as np
import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.gate import ModelFeatures
from ragsieve_core.models.roles import TokenSurprisal, TokenVectors
from tests.gate_stand_ins import features_of


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

    def token_vectors(self, texts: Sequence[str], *, max_tokens: int, progress: object = None) -> list[TokenVectors]:
        return [features_of(text).vectors for text in texts]


@pytest.fixture
def make():
    made = []

    def build(seconds: float = 0.0, **given) -> tuple[ModelFeatures, SlowLM]:
        lm = SlowLM(seconds)
        source = ModelFeatures(lm, Words(), **given)
        made.append(source)
        return source, lm

    yield build
    for source in made:
        source.close()


def test_equals_the_models(make) -> None:
    source, lm = make()
    result = source.get(["one two three", "four five", "one two three"], 5)
    assert result.missing == ()
    for text, found in result.found.items():
        np.testing.assert_array_equal(found.surprisal.nll, features_of(text).surprisal.nll)
        np.testing.assert_array_equal(found.vectors.vectors, features_of(text).vectors.vectors)
    source.get(["four five"], 5)
    assert sorted(lm.seen) == ["four five", "one two three"]
    assert source.model_keys == {"causal_lm": "test:slow", "trace_encoder": "test:words"}


def test_what_is_late_is_missing_and_there_the_next_time(make) -> None:
    source, _ = make(0.1)
    texts = [f"text {i}" for i in range(6)]
    started = time.monotonic()
    result = source.get(texts, 0.25)
    assert time.monotonic() - started < 0.4
    assert 1 <= len(result.found) <= 3
    assert list(result.found) == texts[: len(result.found)]
    assert result.missing == tuple(texts[len(result.found) :])
    deadline = time.monotonic() + 5
    while not all(source.peek(texts)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert source.get(texts, 0).missing == ()


def test_a_live_call_goes_before_what_was_left_behind(make) -> None:
    source, lm = make(0.05)
    source.get([f"left {i}" for i in range(20)], 0.01)
    assert source.get(["live"], 1).missing == ()
    assert lm.seen.index("live") <= 3


def test_a_failing_model_fails_its_text_alone(make) -> None:
    source, _ = make()
    result = source.get(["fine one", "broken one", "fine two"], 5)
    assert sorted(result.found) == ["fine one", "fine two"]
    assert result.failed == {"broken one": "RuntimeError: out of memory"}


def test_memory_stays_under_its_limit(make) -> None:
    source, _ = make(limit=40_000)
    for i in range(60):
        source.get([f"text number {i} " * 10], 5)
        assert source.held_bytes <= 40_000
    assert 1 < sum(source.peek([f"text number {i} " * 10 for i in range(60)])) < 60


def test_what_comes_beyond_the_backlog_is_missing_at_once(make) -> None:
    source, _ = make(0.2, backlog=2)
    waiting = threading.Thread(target=source.get, args=(["a", "b"], 0.3))
    waiting.start()
    time.sleep(0.05)
    started = time.monotonic()
    assert source.get(["c"], 5).missing == ("c",)
    assert time.monotonic() - started < 0.1
    waiting.join()
    with pytest.raises(InputError, match="backlog"):
        ModelFeatures(SlowLM(), Words(), backlog=0)


def test_a_query_is_computed_once_and_its_error_raised(make) -> None:
    source, _ = make()
    first, second = source.query("which harbour", 5), source.query("which harbour", 5)
    assert first is second
    source.close()
    assert source.query("another", 0.05) is None


def test_eight_threads_share_one_source(make) -> None:
    source, lm = make(0.001)
    texts = [f"shared {i}" for i in range(40)]
    missing = []
    threads = [
        threading.Thread(target=lambda: missing.extend(source.get(texts, 20).missing), daemon=True) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert missing == []
    assert sorted(lm.seen) == sorted(texts)
