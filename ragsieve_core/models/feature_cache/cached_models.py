"""The two model roles over the cache: a text costs a model once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ragsieve_core.models.feature_cache.kinds import HalfVectors, halved, query_kind, surprisal_kind, vectors_kind
from ragsieve_core.models.feature_cache.store import Store
from ragsieve_core.models.roles import CausalLM, Progress, TokenSurprisal, TokenVectors, TraceEncoder


def _giver(model: Any) -> Callable[[], Any]:
    return model if callable(model) and not hasattr(model, "key") else lambda: model


class CachedCausalLM:
    """A causal LM that computes each text once."""

    def __init__(self, store: Store, model: CausalLM | Callable[[], CausalLM]) -> None:
        self._store = store
        self._model: Callable[[], CausalLM] = _giver(model)

    @property
    def key(self) -> str:
        """Key of the model: NLL is kept as it is."""
        return self._model().key

    @property
    def kind(self) -> Any:
        """Kind of its features."""
        return surprisal_kind(self.key)

    def surprisal(self, texts: Sequence[str], *, progress: Progress | None = None) -> list[TokenSurprisal]:
        """As :meth:`CausalLM.surprisal`; ``progress`` counts the texts that had to be computed."""
        return self._store.fill(self.kind, texts, lambda missing: self._model().surprisal(missing, progress=progress))


class CachedTraceEncoder:
    """A trace encoder that computes each text once and rounds token vectors to float16."""

    def __init__(self, store: Store, model: TraceEncoder | Callable[[], TraceEncoder], document_tokens: int) -> None:
        self._store = store
        self._model: Callable[[], TraceEncoder] = _giver(model)
        self._document_tokens = document_tokens

    @property
    def key(self) -> str:
        """Key of the model, and the rounding."""
        return f"{self._model().key},rounded=float16"

    @property
    def kind(self) -> Any:
        """Kind of the features of documents."""
        return vectors_kind(self._model().key, self._document_tokens)

    def query_kind(self, max_tokens: int) -> Any:
        """Kind of the features of queries."""
        return query_kind(self._model().key, max_tokens)

    def halves(self, texts: Sequence[str], max_tokens: int, progress: Progress | None = None) -> list[HalfVectors]:
        """Vectors as they are kept."""
        # A query is never written to disk, so a length of its own must never name a stored kind
        kind = vectors_kind if max_tokens == self._document_tokens else query_kind
        return self._store.fill(
            kind(self._model().key, max_tokens),
            texts,
            lambda missing: [
                halved(value)
                for value in self._model().token_vectors(missing, max_tokens=max_tokens, progress=progress)
            ],
        )

    def token_vectors(
        self, texts: Sequence[str], *, max_tokens: int, progress: Progress | None = None
    ) -> list[TokenVectors]:
        """As :meth:`TraceEncoder.token_vectors`; ``progress`` counts the texts that had to be computed."""
        made: dict[str, TokenVectors] = {}
        for text, half in zip(texts, self.halves(texts, max_tokens, progress), strict=True):
            # Equal texts share one array, as with the model itself
            if text not in made:
                made[text] = half.widened()
        return [made[text] for text in texts]
