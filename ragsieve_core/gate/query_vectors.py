"""Vectors of queries, each encoded once while it is remembered."""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.models.roles import Retriever

_KEPT = 1024


class QueryVectors:
    """Encodes queries with ``retriever``, None where the gate has none. Safe to share between threads."""

    def __init__(self, retriever: Retriever | None) -> None:
        self._retriever = retriever
        self._guard = threading.Lock()
        self._encoding = threading.Lock()
        self._asked: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    def encode(self, query: str) -> NDArray[np.float32]:
        """Unit vector of a query, float32 (dimension,).

        Raises
        ------
        InputError : without a retriever.
        ModelUnavailableError : the retriever is not on this machine.
        """
        if self._retriever is None:
            raise InputError(
                "this gate has no retriever", where="retrieve", expected="a gate opened with one", do="use filter"
            )
        with self._guard:
            known = self._asked.get(query)
        if known is not None:
            return known
        # Tokenizers refuse to be used by two threads at once
        with self._encoding:
            vector: NDArray[np.float32] = self._retriever.encode([query], kind="query")[0]
        with self._guard:
            self._asked[query] = vector
            if len(self._asked) > _KEPT:
                self._asked.popitem(last=False)
        return vector
