"""Contextual token vectors from one hidden layer of a bidirectional encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ragsieve_core.errors import InputError
from ragsieve_core.models.batching import map_texts
from ragsieve_core.models.device import Placement
from ragsieve_core.models.once import Once
from ragsieve_core.models.roles import Progress, TokenVectors
from ragsieve_core.models.sources import ModelFiles
from ragsieve_core.models.tokenizing import TextTokenizer, Tokens, padded
from ragsieve_core.models.transformer import PLAIN_ENCODERS, read_config, read_model, token_limit


class TransformerTraceEncoder:
    """Token vectors = ``hidden_states[layer]`` (0 = embeddings), special tokens removed, unit length.

    Parameters
    ----------
    files : checked model folder.
    layer : at most the number of layers; those above it are not loaded where the architecture allows it.
    placement : device and dtype; unit length is made in float32.

    Raises
    ------
    InputError : the model has fewer layers, or is an encoder-decoder.
    """

    def __init__(self, files: ModelFiles, *, layer: int, placement: Placement) -> None:
        self._files = files
        self._layer = layer
        self._placement = placement
        self._config: Any = read_config(files.folder)
        if getattr(self._config, "is_encoder_decoder", False):
            raise InputError(
                f"{files.source.label} is an encoder-decoder", where="trace_encoder", expected="a bidirectional encoder"
            )
        layers = int(self._config.num_hidden_layers)
        if layer > layers:
            raise InputError(
                f"{files.source.label} has {layers} layers, not {layer}",
                where="trace_encoder layer",
                expected=f"0 (embeddings) to {layers}",
            )
        self._plain = self._config.model_type in PLAIN_ENCODERS
        if self._plain:
            self._config.num_hidden_layers = layer
        self._loaded = Once(self._load)

    @property
    def key(self) -> str:
        """Weights and settings hash, layer, dtype."""
        return f"trace_encoder:{self._files.identity},layer={self._layer},dtype={self._placement.dtype}"

    def token_vectors(
        self, texts: Sequence[str], *, max_tokens: int, progress: Progress | None = None
    ) -> list[TokenVectors]:
        """One entry per text, in the order given.

        Parameters
        ----------
        texts : documents or queries, each encoded whole.
        max_tokens : model tokens read of each, special ones counted; lowered to what the model can take.
        progress : called with (texts done, texts in all).

        Raises
        ------
        InputError : ``max_tokens`` below 3, or something that is not a text.
        """
        if max_tokens < 3:
            raise InputError(f"max_tokens {max_tokens} leaves no room for text", expected="at least 3")
        tokenizer, _ = self._loaded()
        limit = token_limit(self._files.folder, self._config, max_tokens)
        return map_texts(
            texts,
            prepare=lambda batch: tokenizer.tokenize(batch, max_tokens=limit, special=True),
            length=lambda item: item.ids.size,
            compute=self._vectors,
            budget=self._placement.tokens_per_batch,
            most=self._placement.texts_per_batch,
            side_by_side=self._placement.device == "cpu",
            progress=progress,
        )

    def _load(self) -> tuple[TextTokenizer, Any]:
        options = {"add_pooling_layer": False} if self._plain else {}
        model = read_model("AutoModel", self._files.folder, self._config, self._placement, **options)
        return TextTokenizer(self._files.folder), model

    def _vectors(self, batch: list[Tokens]) -> list[TokenVectors]:
        import torch

        tokenizer, model = self._loaded()
        ids, mask = padded(batch, tokenizer.pad_id)
        device = self._placement.device
        with torch.inference_mode():
            attention = None if mask is None else torch.from_numpy(mask).to(device)
            out = model(
                input_ids=torch.from_numpy(ids).to(device),
                attention_mask=attention,
                output_hidden_states=not self._plain,
            )
            hidden = out.last_hidden_state if self._plain else out.hidden_states[self._layer]
            unit = torch.nn.functional.normalize(hidden.float(), dim=-1).cpu().numpy()
        return [_own(item, unit[row]) for row, item in enumerate(batch)]


def _own(item: Tokens, vectors: np.ndarray[Any, np.dtype[np.float32]]) -> TokenVectors:
    end = item.ids.size - item.tail
    # Copies: a view would keep the whole padded batch alive.
    return TokenVectors(vectors=vectors[item.head : end].copy(), offsets=item.offsets[item.head : end].copy())
