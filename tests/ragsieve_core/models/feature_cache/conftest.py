"""A stand-in for both models that says what it was asked to compute, and folders for a disk tier."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ragsieve_core.models.roles import TokenSurprisal, TokenVectors


class Counting:
    """A text's NLL is its code points; it has one vector per character, not exact in float16."""

    key = "counting"

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.gate: threading.Event | None = None
        self.failing = False

    def surprisal(self, texts: Sequence[str], *, progress: object = None) -> list[TokenSurprisal]:
        self._begin(texts)
        return [TokenSurprisal(np.array([ord(c) for c in t], np.float32), spans(t)) for t in texts]

    def token_vectors(self, texts: Sequence[str], *, max_tokens: int, progress: object = None) -> list[TokenVectors]:
        self._begin(texts)
        return [TokenVectors(rows(t[:max_tokens]), spans(t[:max_tokens])) for t in texts]

    def _begin(self, texts: Sequence[str]) -> None:
        self.seen += texts
        if self.gate is not None:
            self.gate.wait(10)
        if self.failing:
            raise RuntimeError("the model failed")


def spans(text: str) -> np.ndarray:
    return np.array([[i, i + 1] for i in range(len(text))], dtype=np.int32).reshape(-1, 2)


def rows(text: str) -> np.ndarray:
    angles = np.array([ord(c) for c in text], dtype=np.float64)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


@pytest.fixture
def model() -> Counting:
    return Counting()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "features"
