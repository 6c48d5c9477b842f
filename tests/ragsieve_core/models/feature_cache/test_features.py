"""The object services hold: roles, peek, get with a deadline, bit-equal cold and cached scores, bounded memory."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest

from ragsieve_core.document import RankedContext, RankedDocument
from ragsieve_core.models.feature_cache import DiskTier, Features
from ragsieve_core.rsq import RSQConfig, score_contexts
from ragsieve_core.rsq.record import candidate_detail, candidate_record


def test_peek_says_what_is_there_and_computes_nothing(model, folder: Path) -> None:
    features = Features(model, model, disk=DiskTier(folder))
    assert features.peek(["a"]) == type(features.peek([]))(frozenset(), frozenset())
    features.get(["a", "b"], surprisal_for={"a"})
    assert features.peek(["a", "b", "c"]).surprisal == {"a"}
    assert Features(model, model, disk=DiskTier(folder)).peek(["a", "b", "c"]).vectors == {"a", "b"}
    assert sorted(model.seen) == ["a", "a", "b"]


def test_get_by_a_deadline_leaves_without_what_is_slow_and_finds_it_later(model) -> None:
    features = Features(model, model)
    features.get(["known"])
    model.gate = threading.Event()
    clock = time.monotonic()
    found = features.get(["known", "new"], deadline=clock + 0.1)
    assert time.monotonic() - clock < 5
    assert found.missing == ("new",)
    assert set(found.vectors) == set(found.surprisal) == {"known"}
    assert found.failure is None
    model.gate.set()
    later = features.get(["known", "new"], deadline=time.monotonic() + 10)
    assert later.missing == ()
    assert later.surprisal["new"].nll.tolist() == [110.0, 101.0, 119.0]
    assert model.seen.count("new") == 2  # once per model


def test_get_after_the_deadline_still_gives_what_is_known(model, folder: Path) -> None:
    Features(model, model, disk=DiskTier(folder)).get(["a"])
    fresh = Features(model, model, disk=DiskTier(folder))
    assert fresh.get(["a"], deadline=time.monotonic() - 1).missing == ()
    model.gate = threading.Event()
    assert fresh.get(["a", "b"], deadline=time.monotonic() - 1).missing == ("b",)
    model.gate.set()


def test_a_failing_model_is_said(model) -> None:
    features = Features(model, model)
    features.get(["a"])
    model.failing = True
    found = features.get(["a", "b"], deadline=time.monotonic() + 10)
    assert found.missing == ("b",)
    assert str(found.failure) == "the model failed"
    assert set(found.vectors) == {"a"}
    with pytest.raises(RuntimeError):
        features.get(["b"])


def test_surprisal_is_asked_of_candidates_only(model) -> None:
    found = Features(model, model).get(["a", "b"], surprisal_for=["b"], deadline=time.monotonic() + 10)
    assert set(found.surprisal) == {"b"}
    assert set(found.vectors) == {"a", "b"}
    assert found.missing == ()


def test_queries_never_reach_the_disk(model, folder: Path) -> None:
    features = Features(model, model, disk=DiskTier(folder))
    features.trace_encoder.token_vectors(["who keeps the light?"], max_tokens=64)
    assert list(folder.glob("*-*/*/*")) == []
    features.trace_encoder.token_vectors(["the keeper"], max_tokens=256)
    assert len(list(folder.glob("vectors-*/*/*"))) == 1


def test_models_are_not_touched_while_everything_is_cached(model, folder: Path) -> None:
    Features(model, model, disk=DiskTier(folder)).get(["a"])

    class Named:
        key = "counting"

    found = Features(Named(), Named(), disk=DiskTier(folder)).get(["a"])  # type: ignore[arg-type]
    assert found.surprisal["a"].nll.tolist() == [97.0]


def rankings(count: int) -> list[RankedContext]:
    """Documents of 5 to 80 characters, some of them shared by rankings and some in two scripts."""
    rng = np.random.default_rng(7)
    letters = np.array(list("abcdefgh ijklmno жщ"))
    texts = ["".join(rng.choice(letters, rng.integers(5, 80))) for _ in range(30)]
    return [
        RankedContext(
            f"q{n}",
            "which keeper",
            "",
            tuple(RankedDocument(f"d{i}", r + 1, texts[i]) for r, i in enumerate(rng.permutation(30)[:20])),
        )
        for n in range(count)
    ]


def scored(features: Features, contexts: list[RankedContext], chunk: int) -> list[object]:
    config = RSQConfig(alignment_window=8, alignment_stride=4)
    found = score_contexts(
        contexts, features.causal_lm, features.trace_encoder, config, chunk=chunk, lexical=features.lexical
    )
    return [(candidate_record(r, c), candidate_detail(r, c)) for r in found for c in r.candidates]


def test_cold_memory_disk_single_and_batch_scores_are_equal_bit_for_bit(model, folder: Path) -> None:
    contexts = rankings(6)
    warm = Features(model, model, disk=DiskTier(folder))
    cold = scored(Features(model, model), contexts, 16)
    assert len({record["alignment_jump"] for record, _ in cold}) > 10
    assert scored(warm, contexts, 16) == cold
    assert scored(warm, contexts, 1) == cold
    assert scored(Features(model, model, disk=DiskTier(folder), memory=0), contexts, 1) == cold
    assert [row for c in contexts for row in scored(Features(model, model), [c], 1)] == cold


def test_memory_stays_under_its_limit_under_random_requests(model) -> None:
    limit = 200_000
    features = Features(model, model, memory=limit)
    rng = np.random.default_rng(0)
    for _ in range(300):
        part = [f"{number} " * 20 for number in rng.integers(0, 2_000, 20)]
        features.get(part)
        features.lexical(part)
        assert features.memory.bytes <= limit
    assert len(features.memory) > 10


@pytest.mark.models
def test_a_text_has_the_same_features_in_any_company(folder: Path) -> None:
    from ragsieve_core.models import get_profile, load

    models = load(get_profile("embedded"), device="cpu")
    texts = ["The keeper lit the lamp.", "Boats, boats and more boats in the old harbour of the town.", "One"]
    alone = [Features(models.causal_lm, models.trace_encoder).get([text]) for text in texts]
    together = Features(models.causal_lm, models.trace_encoder, disk=DiskTier(folder)).get(texts[::-1])
    for text, single in zip(texts, alone, strict=True):
        assert single.surprisal[text].nll.tobytes() == together.surprisal[text].nll.tobytes()
        assert single.vectors[text].vectors.tobytes() == together.vectors[text].vectors.tobytes()
        assert single.vectors[text].vectors.size > 0
