from __future__ import annotations

from pathlib import Path

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.models.profiles import PAPER_RETRIEVERS, PROFILES, custom_profile, get_profile


def test_embedded_is_the_default_and_is_as_the_method_says() -> None:
    profile = get_profile()
    assert profile is PROFILES["embedded"]
    assert profile.retriever.source.sha256 == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    assert (profile.retriever.pooling, profile.retriever.max_tokens) == ("mean", 512)
    assert profile.causal_lm.source.path == "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert profile.causal_lm.max_tokens == 512
    assert profile.trace_encoder.source == profile.retriever.source
    assert profile.trace_encoder.layer == 4


def test_paper_has_three_retrievers_one_causal_lm_and_layer_nine() -> None:
    assert list(PAPER_RETRIEVERS) == ["bge-m3", "e5-large-v2", "all-minilm-l6-v2"]
    bge, e5, minilm = (get_profile("paper", retriever=name) for name in PAPER_RETRIEVERS)
    assert (bge.retriever.source.name, bge.retriever.pooling) == ("BAAI/bge-m3", "cls")
    assert (e5.retriever.source.name, e5.retriever.pooling) == ("intfloat/e5-large-v2", "mean")
    assert (e5.retriever.query_prefix, e5.retriever.passage_prefix) == ("query: ", "passage: ")
    assert minilm.retriever == PROFILES["embedded"].retriever
    for profile in (bge, e5, minilm, get_profile("paper")):
        assert profile.causal_lm.source.name == "Qwen/Qwen3-0.6B-Base"
        assert profile.trace_encoder.layer == 9
        assert profile.retriever.max_tokens == 512
    assert get_profile("paper").retriever == bge.retriever
    assert get_profile("paper-e5-large-v2") == e5


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda: get_profile("embeded"), "'embedded'"),
        (lambda: get_profile("paper", retriever="bge-m4"), "'bge-m3'"),
        (lambda: get_profile("embedded", retriever="bge-m3"), "paper"),
        (custom_profile, "RAGSIEVE_RETRIEVER"),
        (lambda: custom_profile(trace_encoder="bert-base-cased"), "layer"),
        (lambda: custom_profile(retriever="./no/such/folder"), "no such folder"),
        (lambda: custom_profile(causal_lm="/no/such"), "no such folder"),
        (lambda: custom_profile(causal_lm="a/b/c"), "no such folder"),
    ],
)
def test_a_name_that_does_not_exist_is_answered_with_the_nearest(call: object, hint: str) -> None:
    with pytest.raises(InputError, match=hint):
        call()  # type: ignore[operator]


def test_custom_takes_ids_folders_and_specs_and_fills_the_rest_from_embedded(tmp_path: Path) -> None:
    profile = custom_profile(retriever="all-mpnet-base-v2", trace_encoder=str(tmp_path), layer=3)
    assert profile.retriever.source.name == "sentence-transformers/all-mpnet-base-v2"
    assert profile.retriever.pooling == "auto"
    assert profile.trace_encoder.source.kind == "folder"
    assert profile.trace_encoder.layer == 3
    assert profile.causal_lm == PROFILES["embedded"].causal_lm
    assert custom_profile(layer=2).trace_encoder.layer == 2
    pinned = custom_profile(causal_lm="org/name@refs/pr/7").causal_lm.source
    assert (pinned.name, pinned.revision) == ("org/name", "refs/pr/7")
    by_hand = PAPER_RETRIEVERS["e5-large-v2"]
    assert custom_profile(retriever=by_hand).retriever is by_hand


def test_custom_by_name_reads_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAGSIEVE_TRACE_ENCODER", str(tmp_path))
    monkeypatch.setenv("RAGSIEVE_TRACE_LAYER", "5")
    assert get_profile("custom").trace_encoder.layer == 5
    monkeypatch.setenv("RAGSIEVE_TRACE_LAYER", "five")
    with pytest.raises(InputError, match="RAGSIEVE_TRACE_LAYER"):
        get_profile("custom")
