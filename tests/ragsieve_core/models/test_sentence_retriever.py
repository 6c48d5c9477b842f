"""A custom retriever with more than pooling goes through sentence-transformers and gives its vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragsieve_core.errors import InputError, ModelUnavailableError
from ragsieve_core.models.loading import load
from ragsieve_core.models.profiles import custom_profile
from ragsieve_core.models.sentence_retriever import SentenceRetriever


@pytest.fixture(scope="module")
def dense_folder(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules

    torch.manual_seed(7)
    transformer = modules.Transformer(str(tiny_bert), max_seq_length=512)
    parts = [transformer, modules.Pooling(32, pooling_mode="mean"), modules.Dense(32, 12)]
    model = SentenceTransformer(modules=parts, device="cpu", prompts={"query": "query: "}, default_prompt_name="query")
    folder = tmp_path_factory.mktemp("dense")
    model.save(str(folder))
    return folder


def test_vectors_are_those_of_the_library_at_unit_length(dense_folder: Path, texts: list[str]) -> None:
    from sentence_transformers import SentenceTransformer

    retriever = load(custom_profile(retriever=str(dense_folder)), device="cpu", dtype="float32").retriever
    assert isinstance(retriever, SentenceRetriever)
    assert retriever.dimension == 12
    reference = SentenceTransformer(str(dense_folder), device="cpu")
    for kind, prompt in (("query", "query: "), ("passage", "")):
        expected = reference.encode(texts, prompt=prompt, normalize_embeddings=True, batch_size=1)
        vectors = retriever.encode(texts, kind=kind)  # type: ignore[arg-type]
        assert vectors.dtype == np.float32
        np.testing.assert_allclose(vectors, expected, atol=2e-6)
    assert retriever.encode([], kind="query").shape == (0, 12)
    with pytest.raises(InputError, match="query or passage"):
        retriever.encode(["a"], kind="document")  # type: ignore[arg-type]


def test_every_file_of_the_model_is_in_the_key(dense_folder: Path, tmp_path: Path) -> None:
    import shutil

    copy = Path(shutil.copytree(dense_folder, tmp_path / "copy"))
    keys = [load(custom_profile(retriever=str(folder)), device="cpu").retriever.key for folder in (dense_folder, copy)]
    assert keys[0] == keys[1]
    config = next(copy.glob("*_Dense/config.json"))
    config.write_text(config.read_text() + " ")
    assert load(custom_profile(retriever=str(copy)), device="cpu").retriever.key != keys[0]


def test_a_module_with_pickled_weights_is_refused(dense_folder: Path, tmp_path: Path) -> None:
    import shutil

    copy = Path(shutil.copytree(dense_folder, tmp_path / "copy"))
    weights = next(copy.glob("*_Dense/model.safetensors"))
    weights.rename(weights.with_name("pytorch_model.bin"))
    with pytest.raises(ModelUnavailableError, match="pickled"):
        _ = load(custom_profile(retriever=str(copy)), device="cpu").retriever
