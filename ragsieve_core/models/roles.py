"""The three roles a model plays, as the detectors see them.

Detectors depend on these protocols, not on torch: any object that keeps the promises below can stand in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Progress = Callable[[int, int], None]
"""Called with (done, total); total is constant within one call."""


@dataclass(frozen=True, slots=True)
class TokenSurprisal:
    """Negative log-likelihood of a text under a causal LM.

    Attributes
    ----------
    nll : float32 (m,), nats; entry i belongs to token i + 1 of the text (the first token has none), m <= 511.
    offsets : int32 (m, 2), character span [start, end) of that token in the text.
    """

    nll: NDArray[np.float32]
    offsets: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """Contextual token vectors of one hidden layer, special tokens removed.

    Attributes
    ----------
    vectors : float32 (t, d), unit length per row; t may be 0.
    offsets : int32 (t, 2), character span [start, end) of each token in the text.
    """

    vectors: NDArray[np.float32]
    offsets: NDArray[np.int32]


class Retriever(Protocol):
    """Dual encoder whose cosine ranks the corpus."""

    @property
    def key(self) -> str:
        """Names every parameter that changes the vectors (weights hash, pooling, prefixes, length, dtype)."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def encode(
        self, texts: Sequence[str], *, kind: Literal["query", "passage"], progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Unit vectors, float32 (len(texts), dimension), in the order given."""


class CausalLM(Protocol):
    """Language model that gives token surprisal."""

    @property
    def key(self) -> str:
        """Names every parameter that changes the numbers."""

    def surprisal(self, texts: Sequence[str], *, progress: Progress | None = None) -> list[TokenSurprisal]:
        """One entry per text, in the order given; at most 512 tokens of each, no special token added."""


class TraceEncoder(Protocol):
    """Bidirectional encoder that gives token vectors for query alignment."""

    @property
    def key(self) -> str:
        """Names every parameter that changes the vectors (weights hash, layer, dtype)."""

    def token_vectors(
        self, texts: Sequence[str], *, max_tokens: int, progress: Progress | None = None
    ) -> list[TokenVectors]:
        """One entry per text, in the order given; truncated to ``max_tokens`` model tokens, special ones counted."""
