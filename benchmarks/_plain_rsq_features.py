"""RSQ's features as a straight loop over contexts makes them: all layers, every document of every context again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragsieve_core.document import RankedContext
from ragsieve_core.models.loading import LoadedModels
from ragsieve_core.models.sources import resolve
from ragsieve_core.rsq import RSQConfig


class PlainLoop:
    """Transformers' own classes on the weights of a profile, float32.

    Parameters
    ----------
    models : whose profile names the weights.
    padded_documents, padded_candidates : a context's documents, its candidates, in one padded batch; False: one text at
        a time.
    """

    def __init__(self, models: LoadedModels, *, padded_documents: bool, padded_candidates: bool) -> None:
        from transformers import AutoModel, AutoModelForCausalLM, AutoTokenizer

        self._documents, self._candidates = padded_documents, padded_candidates
        lm, encoder = (
            resolve(spec.source, allow_download=False).folder
            for spec in (models.profile.causal_lm, models.profile.trace_encoder)
        )
        self._lm_tokens: Any = AutoTokenizer.from_pretrained(lm, local_files_only=True)
        self._lm_tokens.pad_token = self._lm_tokens.pad_token or self._lm_tokens.eos_token
        self._tokens: Any = AutoTokenizer.from_pretrained(encoder, local_files_only=True)
        self._lm: Any = AutoModelForCausalLM.from_pretrained(lm, local_files_only=True, dtype="float32").eval()
        self._encoder: Any = AutoModel.from_pretrained(encoder, local_files_only=True, dtype="float32").eval()

    def __call__(self, contexts: Sequence[RankedContext], config: RSQConfig) -> None:
        """Token vectors of n documents and NLL of k candidates, for each context."""
        for context in contexts:
            documents = [document.text for document in context.documents[: config.n]]
            for texts in _groups(documents, self._documents):
                self._vectors(texts, config.document_max_tokens)
            for texts in _groups(documents[: config.k], self._candidates):
                self._nll(texts, config.surprisal_max_tokens)
            self._vectors([context.query], config.query_max_tokens)

    def _vectors(self, texts: list[str], length: int) -> Any:
        import torch

        batch = self._tokens(texts, padding=True, truncation=True, max_length=length, return_tensors="pt")
        with torch.inference_mode():
            return self._encoder(**batch, output_hidden_states=True).hidden_states[4]

    def _nll(self, texts: list[str], length: int) -> Any:
        import torch

        batch = self._lm_tokens(
            texts, padding=True, truncation=True, max_length=length, add_special_tokens=False, return_tensors="pt"
        )
        with torch.inference_mode():
            logits = self._lm(**batch).logits[:, :-1].float()
            return torch.nn.functional.cross_entropy(
                logits.flatten(0, 1), batch["input_ids"][:, 1:].flatten(), reduction="none"
            )


def _groups(texts: list[str], padded: bool) -> list[list[str]]:
    return [texts] if padded else [[text] for text in texts]
