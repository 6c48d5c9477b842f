"""The reference is hidden_states[layer] of the whole model, one text at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.models.device import Placement
from ragsieve_core.models.loading import LoadedModels
from ragsieve_core.models.trace_encoder import TransformerTraceEncoder

CPU = Placement("cpu", "float32")


def _naive(folder: Path, texts: list[str], layer: int, limit: int) -> list[np.ndarray[Any, Any]]:
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    out = []
    for text in texts:
        encoded = tokenizer(
            text, truncation=True, max_length=limit, return_special_tokens_mask=True, return_tensors="pt"
        )
        keep = encoded.pop("special_tokens_mask")[0] == 0
        with torch.no_grad():
            hidden = model(**encoded, output_hidden_states=True).hidden_states[layer][0][keep]
        out.append((hidden / hidden.norm(dim=-1, keepdim=True)).numpy())
    return out


@pytest.mark.parametrize(("name", "layers"), [("tiny_bert", 5), ("tiny_xlmr", 3)])
def test_every_layer_equals_the_whole_models_hidden_state(
    name: str, layers: int, files_of: Any, texts: list[str], request: pytest.FixtureRequest
) -> None:
    folder: Path = request.getfixturevalue(name)
    for layer in range(layers + 1):
        encoder = TransformerTraceEncoder(files_of(folder), layer=layer, placement=CPU)
        entries = encoder.token_vectors(texts, max_tokens=256)
        for entry, reference in zip(entries, _naive(folder, texts, layer, 256), strict=True):
            assert entry.vectors.dtype == np.float32
            assert entry.offsets.shape == (len(entry.vectors), 2)
            np.testing.assert_allclose(entry.vectors, reference, atol=5e-6)


def test_layers_above_the_one_used_are_not_loaded(tiny_bert: Path, files_of: Any) -> None:
    encoder = TransformerTraceEncoder(files_of(tiny_bert), layer=2, placement=CPU)
    _, model = encoder._loaded()
    assert len(model.encoder.layer) == 2


def test_an_architecture_that_ends_in_a_norm_is_run_whole(tiny_bert: Path, files_of: Any, tmp_path: Path) -> None:
    import shutil

    import torch
    from transformers import ModernBertConfig, ModernBertModel

    folder = tmp_path / "modernbert"
    shutil.copytree(tiny_bert, folder, ignore=shutil.ignore_patterns("*.safetensors", "config.json"))
    torch.manual_seed(5)
    config = ModernBertConfig(
        vocab_size=300,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=3,
        num_attention_heads=4,
        initializer_range=0.3,
        pad_token_id=0,
        bos_token_id=2,
        eos_token_id=3,
        cls_token_id=2,
        sep_token_id=3,
    )
    ModernBertModel(config).save_pretrained(folder)
    texts = ["The harbour froze.", "boats boats"]
    for layer in range(4):
        entries = TransformerTraceEncoder(files_of(folder), layer=layer, placement=CPU).token_vectors(
            texts, max_tokens=64
        )
        for entry, reference in zip(entries, _naive(folder, texts, layer, 64), strict=True):
            np.testing.assert_allclose(entry.vectors, reference, atol=1e-5)


@pytest.mark.parametrize("limit", [3, 64, 256])
def test_special_tokens_count_towards_the_limit_and_are_removed(tiny_bert: Path, files_of: Any, limit: int) -> None:
    encoder = TransformerTraceEncoder(files_of(tiny_bert), layer=3, placement=CPU)
    long, empty = encoder.token_vectors(["boats " * 900, ""], max_tokens=limit)
    assert len(long.vectors) == limit - 2
    assert empty.vectors.shape == (0, 32)
    assert empty.offsets.shape == (0, 2)
    np.testing.assert_allclose(np.linalg.norm(long.vectors, axis=1), 1, atol=1e-6)
    assert [("boats " * 900)[a:b] for a, b in long.offsets[:1].tolist()] == ["boats"]


def test_batch_does_not_matter(tiny_bert: Path, files_of: Any, texts: list[str]) -> None:
    encoder = TransformerTraceEncoder(files_of(tiny_bert), layer=4, placement=CPU)
    for text, entry in zip(texts, encoder.token_vectors(texts, max_tokens=64), strict=True):
        np.testing.assert_allclose(entry.vectors, encoder.token_vectors([text], max_tokens=64)[0].vectors, atol=2e-6)


def test_the_key_names_layer_and_dtype(tiny_bert: Path, files_of: Any) -> None:
    files = files_of(tiny_bert)
    keys = {
        TransformerTraceEncoder(files, layer=layer, placement=Placement("cpu", dtype)).key
        for layer in (3, 4)
        for dtype in ("float32", "bfloat16")
    }
    assert len(keys) == 4


def test_a_layer_or_length_that_does_not_exist_is_refused(tiny_bert: Path, files_of: Any) -> None:
    with pytest.raises(InputError, match="has 5 layers, not 6"):
        TransformerTraceEncoder(files_of(tiny_bert), layer=6, placement=CPU)
    encoder = TransformerTraceEncoder(files_of(tiny_bert), layer=5, placement=CPU)
    with pytest.raises(InputError, match="no room"):
        encoder.token_vectors(["a"], max_tokens=2)


@pytest.mark.models
def test_embedded_layer_four_is_that_of_transformers(embedded: LoadedModels, texts: list[str]) -> None:
    from ragsieve_core.models.sources import locate

    folder = locate(embedded.profile.trace_encoder.source)
    assert folder is not None
    for limit in (64, 256):
        entries = embedded.trace_encoder.token_vectors(texts, max_tokens=limit)
        for entry, reference in zip(entries, _naive(folder, texts, 4, limit), strict=True):
            np.testing.assert_allclose(entry.vectors, reference, atol=2e-6)
