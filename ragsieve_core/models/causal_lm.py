"""Token surprisal under a causal language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.models.batching import map_texts
from ragsieve_core.models.device import Placement
from ragsieve_core.models.once import Once
from ragsieve_core.models.roles import Progress, TokenSurprisal
from ragsieve_core.models.sources import ModelFiles
from ragsieve_core.models.tokenizing import TextTokenizer, Tokens
from ragsieve_core.models.transformer import PLAIN_ENCODERS, read_config, read_model, token_limit

# Their logits are the output embedding applied to the last hidden state and nothing else, so the vocabulary-wide
# part can be done a few tokens at a time. Others may scale or cap logits and go through their own forward.
_PLAIN_HEADS = frozenset({"llama", "mistral", "qwen2", "qwen3"})
_LOGIT_BYTES = 1 << 26
"""Most bytes of float32 logits held at once for a plain head: 64 MiB."""


class TransformerCausalLM:
    """Causal LM whose token NLL is computed in float32 from its logits.

    NLL of token t is logsumexp(z) − z[t], z = logits at the token before it, in nats.

    Parameters
    ----------
    files : checked model folder.
    max_tokens : tokens read of each text; no BOS or other special token is added.
    placement : device and dtype of the weights.

    Raises
    ------
    InputError : a bidirectional encoder, whose likelihoods would look ahead.
    """

    def __init__(self, files: ModelFiles, *, max_tokens: int, placement: Placement) -> None:
        self._files = files
        self._placement = placement
        self._config: Any = read_config(files.folder)
        if self._config.model_type in PLAIN_ENCODERS and not self._config.is_decoder:
            raise InputError(
                f"{files.source.label} sees the words to come", where="causal_lm", expected="a causal language model"
            )
        self._max_tokens = token_limit(files.folder, self._config, max_tokens)
        self._loaded = Once(self._load)

    @property
    def key(self) -> str:
        """Weights and settings hash, length, dtype."""
        return f"causal_lm:{self._files.identity},max_tokens={self._max_tokens},dtype={self._placement.dtype}"

    def surprisal(self, texts: Sequence[str], *, progress: Progress | None = None) -> list[TokenSurprisal]:
        """One entry per text, in the order given; a text of fewer than two tokens gives an empty one.

        Raises
        ------
        InputError : something that is not a text.
        """
        tokenizer, _ = self._loaded()
        budget = self._placement.tokens_per_batch
        if self._config.model_type not in _PLAIN_HEADS:
            budget = max(1, 4 * _LOGIT_BYTES // (4 * int(self._config.vocab_size)))
        return map_texts(
            texts,
            prepare=lambda batch: tokenizer.tokenize(batch, max_tokens=self._max_tokens, special=False),
            length=lambda item: item.ids.size,
            compute=self._nll,
            budget=budget,
            most=self._placement.texts_per_batch,
            side_by_side=self._placement.device == "cpu",
            progress=progress,
        )

    def _load(self) -> tuple[TextTokenizer, Any]:
        model = read_model("AutoModelForCausalLM", self._files.folder, self._config, self._placement)
        return TextTokenizer(self._files.folder), model

    def _nll(self, batch: list[Tokens]) -> list[TokenSurprisal]:
        import torch

        _, model = self._loaded()
        lengths = [item.ids.size for item in batch]
        longest = max(lengths)
        if longest < 2:
            return [_entry(item, np.empty(0, dtype=np.float32)) for item in batch]
        # Padding follows the text, where a causal model cannot see it: no mask, any valid id.
        ids = np.zeros((len(batch), longest), dtype=np.int64)
        for row, item in enumerate(batch):
            ids[row, : item.ids.size] = item.ids
        places = [(row, column) for row, length in enumerate(lengths) for column in range(length - 1)]
        rows, columns = (torch.tensor(axis, device=self._placement.device) for axis in zip(*places, strict=True))
        with torch.inference_mode():
            tokens = torch.from_numpy(ids).to(self._placement.device)
            targets = tokens[rows, columns + 1]
            if self._config.model_type in _PLAIN_HEADS:
                hidden = model.base_model(input_ids=tokens[:, :-1], use_cache=False).last_hidden_state[rows, columns]
                step = max(1, _LOGIT_BYTES // (4 * int(self._config.vocab_size)))
                head = model.get_output_embeddings()
                parts = [
                    _cross_entropy(head(hidden[start : start + step]), targets[start : start + step])
                    for start in range(0, len(places), step)
                ]
                flat = torch.cat(parts)
            else:
                flat = _cross_entropy(model(input_ids=tokens[:, :-1], use_cache=False).logits[rows, columns], targets)
            values: NDArray[np.float32] = flat.cpu().numpy()
        ends = np.cumsum([max(0, length - 1) for length in lengths])
        starts = [0, *ends[:-1]]
        return [_entry(item, values[a:b]) for item, a, b in zip(batch, starts, ends, strict=True)]


def _cross_entropy(logits: Any, targets: Any) -> Any:
    exact = logits.float()
    return exact.logsumexp(dim=-1) - exact.gather(-1, targets.unsqueeze(-1)).squeeze(-1)


def _entry(item: Tokens, nll: NDArray[np.float32]) -> TokenSurprisal:
    return TokenSurprisal(nll=nll.copy(), offsets=item.offsets[1:].copy())
