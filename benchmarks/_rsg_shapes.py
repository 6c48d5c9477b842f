"""Vectors and texts shaped like those of a real corpus, of any size."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def encoder_like(count: int, dimension: int, seed: int = 0) -> NDArray[np.float32]:
    """Unit rows with a common mean, 120 directions of falling weight and topics of 12 pages, some tight."""
    generator = np.random.default_rng(seed)
    rank = min(120, dimension)
    basis = np.linalg.qr(generator.standard_normal((dimension, rank)))[0].T.astype(np.float32)
    weight = (np.arange(1, rank + 1) ** -0.35).astype(np.float32)
    topics = max(4, count // 12)
    centre = generator.standard_normal((topics, rank), dtype=np.float32)
    spread = generator.choice([0.25, 0.45, 0.8], topics, p=[0.3, 0.4, 0.3]).astype(np.float32)
    common = generator.standard_normal(dimension, dtype=np.float32)
    common *= 0.5 / np.linalg.norm(common)
    out = np.empty((count, dimension), dtype=np.float32)
    for start in range(0, count, 4096):
        size = min(4096, count - start)
        topic = generator.integers(0, topics, size)
        noise = generator.standard_normal((size, rank), dtype=np.float32)
        coordinates = (centre[topic] + spread[topic, None] * noise) * weight
        rows = coordinates @ basis
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        rows += 0.01 * length * generator.standard_normal((size, dimension), dtype=np.float32)
        rows = 0.85 * rows / np.linalg.norm(rows, axis=1, keepdims=True) + common
        out[start : start + size] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return out


def texts_like(count: int, seed: int = 0) -> list[str]:
    """Texts of about 70 words with Zipf frequencies; in two of five a word is not ASCII."""
    generator = np.random.default_rng(seed)
    letters = np.array(list("etaoinshrdlucmfwyp"))
    words = ["".join(generator.choice(letters, size)) for size in generator.integers(2, 10, 40_000)]
    chance = 1.0 / np.arange(3, 40_003)
    edges = np.cumsum(chance / chance.sum())
    made = []
    for _ in range(count):
        picked = np.searchsorted(edges, generator.random(70)).tolist()
        made.append(
            " ".join(words[min(pick, 39_999)] for pick in picked) + (" café." if generator.random() < 0.4 else ".")
        )
    return made


def texts_of(path: Path, count: int) -> list[str]:
    """``count`` texts of a JSON-lines file (field ``text``), from the start again where they run out."""
    with path.open(encoding="utf-8") as lines:
        found = [json.loads(line)["text"] for line in lines]
    if not found:
        raise SystemExit(f"{path} holds no documents")
    return [found[row % len(found)] for row in range(count)]
