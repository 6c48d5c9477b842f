"""Models that remember what they computed, within a byte limit: a text seen twice goes through a model once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from ragsieve_core.errors import InputError
from ragsieve_core.models.roles import CausalLM, Progress, TokenSurprisal, TokenVectors, TraceEncoder

DEFAULT_LIMIT = 512 * 1024**2

Value = TypeVar("Value", TokenSurprisal, TokenVectors)


class _Memory(Generic[Value]):
    """Least recently used entries leave first; an entry larger than the limit is never kept."""

    def __init__(self, limit: int, size: Callable[[Value], int]) -> None:
        if limit < 0:
            raise InputError(f"{limit} bytes", where="memory limit", expected="0 or more")
        self._limit = limit
        self._size: Callable[[Value], int] = size
        self._held: OrderedDict[tuple[str, int], Value] = OrderedDict()
        self.bytes = 0

    def get(self, key: tuple[str, int]) -> Value | None:
        found = self._held.get(key)
        if found is not None:
            self._held.move_to_end(key)
        return found

    def put(self, key: tuple[str, int], value: Value) -> None:
        if key in self._held:
            self.bytes -= self._size(self._held.pop(key))
        self._held[key] = value
        self.bytes += self._size(value)
        while self.bytes > self._limit:
            _, gone = self._held.popitem(last=False)
            self.bytes -= self._size(gone)

    def fill(self, texts: Sequence[str], length: int, compute: Callable[[list[str]], list[Value]]) -> list[Value]:
        known = {text: found for text in dict.fromkeys(texts) if (found := self.get((text, length))) is not None}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            for text, value in zip(missing, compute(missing), strict=True):
                known[text] = value
                self.put((text, length), value)
        return [known[text] for text in texts]


class MemoCausalLM:
    """A causal LM that remembers token surprisal.

    Parameters
    ----------
    model : computes what is not remembered.
    limit : bytes kept, counted over the arrays.
    """

    def __init__(self, model: CausalLM, limit: int = DEFAULT_LIMIT) -> None:
        self._model = model
        self._memory: _Memory[TokenSurprisal] = _Memory(limit, lambda v: v.nll.nbytes + v.offsets.nbytes)

    @property
    def key(self) -> str:
        """Key of the model: remembering changes no number."""
        return self._model.key

    @property
    def held_bytes(self) -> int:
        """Bytes kept now, never more than the limit."""
        return self._memory.bytes

    def surprisal(self, texts: Sequence[str], *, progress: Progress | None = None) -> list[TokenSurprisal]:
        """As :meth:`CausalLM.surprisal`; ``progress`` counts the texts that had to be computed."""
        return self._memory.fill(texts, 0, lambda missing: self._model.surprisal(missing, progress=progress))


class MemoTraceEncoder:
    """A trace encoder that remembers token vectors; parameters as for :class:`MemoCausalLM`."""

    def __init__(self, model: TraceEncoder, limit: int = DEFAULT_LIMIT) -> None:
        self._model = model
        self._memory: _Memory[TokenVectors] = _Memory(limit, lambda v: v.vectors.nbytes + v.offsets.nbytes)

    @property
    def key(self) -> str:
        """Key of the model: remembering changes no number."""
        return self._model.key

    @property
    def held_bytes(self) -> int:
        """Bytes kept now, never more than the limit."""
        return self._memory.bytes

    def token_vectors(
        self, texts: Sequence[str], *, max_tokens: int, progress: Progress | None = None
    ) -> list[TokenVectors]:
        """As :meth:`TraceEncoder.token_vectors`; ``progress`` counts the texts that had to be computed."""
        return self._memory.fill(
            texts,
            max_tokens,
            lambda missing: self._model.token_vectors(missing, max_tokens=max_tokens, progress=progress),
        )
