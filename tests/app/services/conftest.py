"""A warehouse and stand-in models: deterministic, instant, and counting what they were asked to compute."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from app.services.owner_access import OwnerAccess
from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.models.profiles import get_profile
from ragsieve_core.models.roles import TokenSurprisal, TokenVectors
from warehouse.database import Warehouse
from warehouse.principal import Principal, local_principal

DIMENSION = 16


def unit(seed: str) -> np.ndarray:
    digest = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big")
    vector = np.random.default_rng(digest).standard_normal(DIMENSION)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def tokens(text: str) -> list[tuple[str, int, int]]:
    return [(m.group().casefold(), m.start(), m.end()) for m in re.finditer(r"\w+", text)]


class BagRetriever:
    """Sum of one fixed random vector per word."""

    key = "test:bag-of-words"
    dimension = DIMENSION

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str], *, kind: str, progress: object = None) -> np.ndarray:
        if kind == "passage":
            self.encoded += texts
        rows = np.stack([sum((unit(w) for w, _, _ in tokens(t)), np.full(DIMENSION, 1e-3)) for t in texts])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


class LoudLM:
    """Ordinary words cost 1 nat; words beginning with zz cost 20."""

    key = "test:loud"

    def surprisal(self, texts: Sequence[str], *, progress: object = None) -> list[TokenSurprisal]:
        found = []
        for text in texts:
            parts = tokens(text)[1:]
            nll = np.array([20.0 if w.startswith("zz") else 1.0 for w, _, _ in parts], dtype=np.float32)
            found.append(TokenSurprisal(nll, np.array([[a, b] for _, a, b in parts], dtype=np.int32).reshape(-1, 2)))
        return found


class WordEncoder:
    """One fixed vector per word."""

    key = "test:words"

    def token_vectors(self, texts: Sequence[str], *, max_tokens: int, progress: object = None) -> list[TokenVectors]:
        found = []
        for text in texts:
            parts = tokens(text)[: max_tokens - 2]
            vectors = np.array([unit(w) for w, _, _ in parts], dtype=np.float32).reshape(-1, DIMENSION)
            found.append(TokenVectors(vectors, np.array([[a, b] for _, a, b in parts], np.int32).reshape(-1, 2)))
        return found


class StandIns:
    """The three roles under the names services use."""

    def __init__(self) -> None:
        self.profile = get_profile("embedded")
        self.retriever = BagRetriever()
        self.causal_lm = LoudLM()
        self.trace_encoder = WordEncoder()


@pytest.fixture
def models() -> StandIns:
    return StandIns()


@pytest.fixture
def principal() -> Principal:
    return local_principal()


@pytest.fixture
def wh(tmp_path: Path, new_warehouse: Callable[[Path], Path]) -> Iterator[Warehouse]:
    with Warehouse.open(new_warehouse(tmp_path / "w.duckdb"), command="test") as opened:
        yield opened


@pytest.fixture
def access(wh: Warehouse, principal: Principal) -> OwnerAccess:
    return OwnerAccess(wh, principal)


@pytest.fixture
def batches(tmp_path: Path):
    """Documents as the batches a reader would give."""
    import json

    from ragsieve_core.formats.reading import read_batches

    def make(rows: Sequence[dict]) -> list[RecordBatchColumns]:
        path = tmp_path / f"in{len(list(tmp_path.glob('in*')))}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return list(read_batches([path]))

    return make
