"""The reference is sentence-transformers on the same folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from ragsieve_core.errors import InputError, ModelUnavailableError
from ragsieve_core.models.device import Placement
from ragsieve_core.models.loading import LoadedModels
from ragsieve_core.models.profiles import PAPER_RETRIEVERS
from ragsieve_core.models.retriever import TransformerRetriever

CPU = Placement("cpu", "float32")


def _reference(folder: Path, texts: list[str], pooling: str, prompt: str = "") -> np.ndarray[Any, Any]:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules

    transformer = modules.Transformer(str(folder), max_seq_length=512)
    pool = modules.Pooling(transformer.get_embedding_dimension(), pooling_mode=pooling)
    model = SentenceTransformer(modules=[transformer, pool, modules.Normalize()], device="cpu")
    return np.asarray(model.encode(texts, prompt=prompt, batch_size=1, show_progress_bar=False))


def _ours(
    files: Any, *, pooling: Literal["cls", "mean"], placement: Placement = CPU, **more: Any
) -> TransformerRetriever:
    settings: dict[str, Any] = {"query_prefix": "", "passage_prefix": "", "max_tokens": 512} | more
    return TransformerRetriever(files, pooling=pooling, placement=placement, **settings)


def test_bge_path_cls_of_xlm_r(tiny_xlmr: Path, files_of: Any, texts: list[str]) -> None:
    retriever = _ours(files_of(tiny_xlmr), pooling=PAPER_RETRIEVERS["bge-m3"].pooling)  # type: ignore[arg-type]
    vectors = retriever.encode(texts, kind="passage")
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(texts), retriever.dimension)
    np.testing.assert_allclose(vectors, _reference(tiny_xlmr, texts, "cls"), atol=2e-6)


def test_e5_path_mean_of_bert_with_prefixes(tiny_bert: Path, files_of: Any, texts: list[str]) -> None:
    spec = PAPER_RETRIEVERS["e5-large-v2"]
    retriever = _ours(
        files_of(tiny_bert), pooling="mean", query_prefix=spec.query_prefix, passage_prefix=spec.passage_prefix
    )
    for kind, prefix in (("query", "query: "), ("passage", "passage: ")):
        vectors = retriever.encode(texts, kind=kind)  # type: ignore[arg-type]
        np.testing.assert_allclose(vectors, _reference(tiny_bert, texts, "mean", prefix), atol=2e-6)
    assert not np.allclose(retriever.encode(texts, kind="query"), retriever.encode(texts, kind="passage"))


def test_text_beyond_512_tokens_does_not_count(tiny_bert: Path, tiny_xlmr: Path, files_of: Any) -> None:
    for folder in (tiny_bert, tiny_xlmr):
        retriever = _ours(files_of(folder), pooling="mean")
        same = retriever.encode(["boats " * 600, "boats " * 600 + "harbour"], kind="passage")
        assert np.array_equal(same[0], same[1])
        assert "max_tokens=512" in retriever.key


def test_vectors_are_unit_and_do_not_depend_on_the_batch(tiny_bert: Path, files_of: Any, texts: list[str]) -> None:
    retriever = _ours(files_of(tiny_bert), pooling="mean")
    together = retriever.encode(texts, kind="passage")
    alone = np.concatenate([retriever.encode([text], kind="passage") for text in texts])
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(together, alone, atol=2e-6)
    assert np.array_equal(together, retriever.encode(texts, kind="passage"))
    assert np.array_equal(together[0], together[4])  # the same text twice


def test_no_texts_give_no_rows(tiny_bert: Path, files_of: Any) -> None:
    assert _ours(files_of(tiny_bert), pooling="cls").encode([], kind="query").shape == (0, 32)


def test_the_key_names_every_parameter_and_needs_no_weights_in_memory(tiny_bert: Path, files_of: Any) -> None:
    files = files_of(tiny_bert)
    base: dict[str, Any] = {"pooling": "mean"}
    keys = {
        _ours(files, **(base | change)).key
        for change in (
            {},
            {"pooling": "cls"},
            {"query_prefix": "q"},
            {"passage_prefix": "q"},
            {"max_tokens": 256},
            {"placement": Placement("cpu", "bfloat16")},
        )
    }
    assert len(keys) == 6
    assert files.weights[:16] in keys.pop()


def test_bfloat16_stays_near_float32_and_returns_float32(tiny_bert: Path, files_of: Any, texts: list[str]) -> None:
    exact = _ours(files_of(tiny_bert), pooling="mean").encode(texts, kind="query")
    rough = _ours(files_of(tiny_bert), pooling="mean", placement=Placement("cpu", "bfloat16")).encode(
        texts, kind="query"
    )
    assert rough.dtype == np.float32
    assert (exact * rough).sum(axis=1).min() > 0.99


def test_an_unknown_kind_is_refused(tiny_bert: Path, files_of: Any) -> None:
    with pytest.raises(InputError, match="query or passage"):
        _ours(files_of(tiny_bert), pooling="mean").encode(["a"], kind="document")  # type: ignore[arg-type]


def test_weights_that_give_no_numbers_are_an_error(tiny_bert: Path, files_of: Any, tmp_path: Path) -> None:
    import shutil

    import torch
    from safetensors.torch import load_file, save_file

    folder = Path(shutil.copytree(tiny_bert, tmp_path / "broken"))
    weights = load_file(folder / "model.safetensors")
    weights["embeddings.LayerNorm.bias"] = torch.full_like(weights["embeddings.LayerNorm.bias"], float("nan"))
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputError, match="not finite"):
        _ours(files_of(folder), pooling="mean").encode(["a"], kind="query")


def test_a_checkpoint_with_a_part_missing_is_refused(tiny_bert: Path, files_of: Any, tmp_path: Path) -> None:
    import shutil

    from safetensors.torch import load_file, save_file

    folder = Path(shutil.copytree(tiny_bert, tmp_path / "incomplete"))
    weights = load_file(folder / "model.safetensors")
    del weights["encoder.layer.1.output.dense.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelUnavailableError, match=r"encoder\.layer\.1\.output\.dense\.weight"):
        _ours(files_of(folder), pooling="mean").encode(["a"], kind="query")


@pytest.mark.models
def test_embedded_minilm_is_that_of_sentence_transformers(embedded: LoadedModels, texts: list[str]) -> None:
    from ragsieve_core.models.sources import locate

    folder = locate(embedded.profile.retriever.source)
    assert folder is not None
    vectors = embedded.retriever.encode(texts, kind="passage")
    assert vectors.shape == (len(texts), 384)
    np.testing.assert_allclose(vectors, _reference(folder, texts, "mean"), atol=1e-6)
