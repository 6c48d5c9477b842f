"""Retrievers that have more than a transformer, CLS or mean pooling and normalisation, run by sentence-transformers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError, ModelUnavailableError
from ragsieve_core.models.batching import map_texts
from ragsieve_core.models.device import Placement
from ragsieve_core.models.offline import prepare_libraries, silence_transformers
from ragsieve_core.models.once import Once
from ragsieve_core.models.roles import Progress
from ragsieve_core.models.sources import ModelFiles
from ragsieve_core.models.weights import sha256_file


class SentenceRetriever:
    """Retriever on a whole sentence-transformers model.

    Parameters
    ----------
    files : checked model; every module's weights must be safetensors.
    query_prefix, passage_prefix : put before each text.
    max_tokens : truncation, special tokens counted; lowered to the model's own limit.
    placement : device and dtype.

    Raises
    ------
    ModelUnavailableError : a module with pickled weights.
    """

    def __init__(
        self,
        files: ModelFiles,
        *,
        query_prefix: str,
        passage_prefix: str,
        max_tokens: int,
        placement: Placement,
    ) -> None:
        self._files = files
        self._prefixes = {"query": query_prefix, "passage": passage_prefix}
        self._max_tokens = max_tokens
        self._placement = placement
        for pickled in sorted(files.root.glob("*/pytorch_model.bin")):
            if not pickled.with_name("model.safetensors").is_file():
                raise ModelUnavailableError(
                    "a module of this model has only pickled weights",
                    where=str(pickled),
                    expected="model.safetensors (reading pickled weights would run code from the file)",
                )
        self._loaded: Once[Any] = Once(self._load)

    @property
    def key(self) -> str:
        """Hash of every file of the model, prefixes, length, dtype."""
        root = self._files.root
        names = sorted(
            path.relative_to(root).as_posix()
            for pattern in ("*.json", "*.safetensors", "*.txt", "*.model")
            for path in root.rglob(pattern)
        )
        digest = hashlib.sha256("".join(f"{name}:{sha256_file(root / name)}\n" for name in names).encode())
        prefixes = ",".join(f"{kind}={json.dumps(prefix)}" for kind, prefix in sorted(self._prefixes.items()))
        return (
            f"retriever:sentence-transformers={digest.hexdigest()[:16]},{prefixes},"
            f"max_tokens={self._max_tokens},dtype={self._placement.dtype}"
        )

    @property
    def dimension(self) -> int:
        """Length of a vector; loads the model."""
        return int(self._loaded().get_embedding_dimension())

    def encode(
        self, texts: Sequence[str], *, kind: Literal["query", "passage"], progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Unit vectors, float32 (len(texts), dimension), in the order given.

        Raises
        ------
        InputError : an unknown ``kind``, something that is not a text, or vectors that are not finite.
        """
        if kind not in self._prefixes:
            raise InputError(f"unknown kind of text {kind!r}", expected="query or passage")
        model = self._loaded()
        prefix = self._prefixes[kind]

        def compute(batch: list[str]) -> list[NDArray[np.float32]]:
            vectors = model.encode(
                [prefix + text for text in batch],
                prompt="",
                batch_size=len(batch),
                show_progress_bar=False,
                convert_to_numpy=True,
                normalize_embeddings=False,
            ).astype(np.float32)
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            return list(vectors / np.maximum(lengths, 1e-12))

        rows = map_texts(
            texts,
            prepare=list,
            length=lambda text: min(self._max_tokens, len(text) // 3 + 2),  # characters stand in for tokens
            compute=compute,
            budget=self._placement.tokens_per_batch,
            progress=progress,
        )
        vectors = np.stack(rows) if rows else np.empty((0, self.dimension), dtype=np.float32)
        if not np.isfinite(vectors).all():
            raise InputError("the retriever gave vectors that are not finite", where=self._files.source.label)
        return vectors

    def _load(self) -> Any:
        prepare_libraries()
        from sentence_transformers import SentenceTransformer

        silence_transformers()
        try:
            model: Any = SentenceTransformer(
                str(self._files.root),
                device=self._placement.device,
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"dtype": self._placement.torch_dtype(), "use_safetensors": True},
            )
        except (ValueError, OSError, ImportError, RuntimeError) as error:
            raise ModelUnavailableError(
                f"sentence-transformers cannot load this model ({str(error).splitlines()[0]})",
                where=str(self._files.root),
                expected="a model that needs no code of its own",
            ) from error
        if model.max_seq_length is None or model.max_seq_length > self._max_tokens:
            model.max_seq_length = self._max_tokens
        return model.eval()
