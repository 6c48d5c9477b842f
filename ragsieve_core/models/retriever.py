"""Dual encoder on transformers alone: CLS or mean pooling, prefixes, unit vectors.

sentence-transformers gives the same vectors but takes seconds to import; it is used only for models that have more
than a transformer, pooling and normalisation (see :mod:`ragsieve_core.models.sentence_retriever`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.models.batching import map_texts
from ragsieve_core.models.device import Placement
from ragsieve_core.models.once import Once
from ragsieve_core.models.roles import Progress
from ragsieve_core.models.sources import ModelFiles
from ragsieve_core.models.tokenizing import TextTokenizer, Tokens, padded
from ragsieve_core.models.transformer import PLAIN_ENCODERS, read_config, read_model, token_limit


class TransformerRetriever:
    """Retriever that pools the last hidden layer.

    Parameters
    ----------
    files : checked model folder.
    pooling : ``cls`` (first token) or ``mean`` (over all tokens, special ones included).
    query_prefix, passage_prefix : put before each text.
    max_tokens : truncation, special tokens counted; lowered to what the model can take.
    placement : device and dtype; pooling and length are computed in float32 whatever the dtype.
    """

    def __init__(
        self,
        files: ModelFiles,
        *,
        pooling: Literal["cls", "mean"],
        query_prefix: str,
        passage_prefix: str,
        max_tokens: int,
        placement: Placement,
    ) -> None:
        self._files = files
        self._pooling = pooling
        self._prefixes = {"query": query_prefix, "passage": passage_prefix}
        self._placement = placement
        self._config: Any = read_config(files.folder)
        self._max_tokens = token_limit(files.folder, self._config, max_tokens)
        self._loaded = Once(self._load)

    @property
    def key(self) -> str:
        """Weights and settings hash, pooling, prefixes, length, dtype."""
        prefixes = ",".join(f"{kind}={json.dumps(prefix)}" for kind, prefix in sorted(self._prefixes.items()))
        return (
            f"retriever:{self._files.identity},pooling={self._pooling},{prefixes},"
            f"max_tokens={self._max_tokens},dtype={self._placement.dtype}"
        )

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._config.hidden_size)

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
        prefix = self._prefixes[kind]
        tokenizer, _ = self._loaded()

        def prepare(batch: list[str]) -> list[Tokens]:
            return tokenizer.tokenize([prefix + text for text in batch], max_tokens=self._max_tokens, special=True)

        rows: list[NDArray[np.float32]] = map_texts(
            texts,
            prepare=prepare,
            length=lambda item: item.ids.size,
            compute=self._pool,
            budget=self._placement.tokens_per_batch,
            progress=progress,
        )
        vectors = np.stack(rows) if rows else np.empty((0, self.dimension), dtype=np.float32)
        if not np.isfinite(vectors).all():
            raise InputError("the retriever gave vectors that are not finite", where=self._files.source.label)
        return vectors

    def _load(self) -> tuple[TextTokenizer, Any]:
        options = {"add_pooling_layer": False} if self._config.model_type in PLAIN_ENCODERS else {}
        model = read_model("AutoModel", self._files.folder, self._config, self._placement, **options)
        return TextTokenizer(self._files.folder), model

    def _pool(self, batch: list[Tokens]) -> list[NDArray[np.float32]]:
        import torch

        tokenizer, model = self._loaded()
        ids, mask = padded(batch, tokenizer.pad_id)
        device = self._placement.device
        with torch.inference_mode():
            attention = None if mask is None else torch.from_numpy(mask).to(device)
            hidden = model(input_ids=torch.from_numpy(ids).to(device), attention_mask=attention).last_hidden_state
            if self._pooling == "cls":
                pooled = hidden[:, 0].float()
            elif attention is None:
                pooled = hidden.float().mean(dim=1)
            else:
                weight = attention.unsqueeze(-1).float()
                pooled = (hidden.float() * weight).sum(dim=1) / weight.sum(dim=1)
            unit = torch.nn.functional.normalize(pooled, dim=1).cpu().numpy()
        return list(unit)
