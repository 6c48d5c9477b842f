from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ragsieve_core.errors import ModelUnavailableError
from ragsieve_core.models import transformer
from ragsieve_core.models.loading import load
from ragsieve_core.models.once import Once
from ragsieve_core.models.profiles import custom_profile, get_profile


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Records which model classes read weights."""
    seen: list[str] = []
    real = transformer.read_model

    def recorded(auto_class: str, *rest: Any, **options: Any) -> Any:
        seen.append(auto_class)
        return real(auto_class, *rest, **options)

    for name in ("retriever", "causal_lm", "trace_encoder"):
        monkeypatch.setattr(f"ragsieve_core.models.{name}.read_model", recorded)
    return seen


def test_weights_are_read_when_a_role_first_computes_and_once(
    loads: list[str], tiny_bert: Path, tiny_qwen3: Path
) -> None:
    profile = custom_profile(str(tiny_bert), str(tiny_qwen3), str(tiny_bert), layer=3)
    models = load(profile, device="cpu", dtype="float32")
    assert "pooling=mean" in models.retriever.key
    assert "layer=3" in models.trace_encoder.key
    assert "dtype=float32" in models.causal_lm.key
    assert loads == []
    models.causal_lm.surprisal(["boats boats"])
    assert loads == ["AutoModelForCausalLM"]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: models.retriever.encode(["boats"], kind="query").tobytes(), range(16)))
    assert len(set(results)) == 1
    assert loads == ["AutoModelForCausalLM", "AutoModel"]
    assert models.retriever is models.retriever
    models.trace_encoder.token_vectors(["boats"], max_tokens=8)
    assert loads == ["AutoModelForCausalLM", "AutoModel", "AutoModel"]


def test_a_missing_role_does_not_stop_the_others(tiny_bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tiny_bert / "no-hub"))
    models = load(custom_profile(retriever=str(tiny_bert), causal_lm="org/absent"), device="cpu")
    assert models.retriever.dimension == 32
    with pytest.raises(ModelUnavailableError, match="org/absent"):
        _ = models.causal_lm


def test_the_dtype_can_be_forced() -> None:
    assert load(get_profile(), device="cpu", dtype="bfloat16").placement.dtype == "bfloat16"


def test_a_loader_that_failed_is_tried_again() -> None:
    attempts: list[int] = []

    def flaky() -> int:
        attempts.append(1)
        if len(attempts) == 1:
            raise ModelUnavailableError("not yet")
        return 7

    once = Once(flaky)
    with pytest.raises(ModelUnavailableError):
        once()
    assert (once(), once()) == (7, 7)
    assert len(attempts) == 2
