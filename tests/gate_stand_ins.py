"""A small corpus in memory, a folder to publish in, and features that are instant, slow or broken on demand."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ragsieve_core.document import RankedDocument, content_hash
from ragsieve_core.gate import DocumentFeatures, FeatureResult, GateCorpus
from ragsieve_core.models.roles import TokenSurprisal, TokenVectors
from ragsieve_core.publication import encode_publication

DIMENSION = 12
QUESTION = "which harbour hosted the festival"


def unit(seed: str) -> np.ndarray:
    digest = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big")
    vector = np.random.default_rng(digest).standard_normal(DIMENSION)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def words(text: str) -> list[tuple[str, int, int]]:
    return [(m.group().casefold(), m.start(), m.end()) for m in re.finditer(r"\w+", text)]


def encode(text: str) -> np.ndarray:
    row = sum((unit(w) for w, _, _ in words(text)), np.full(DIMENSION, 1e-3))
    return (row / np.linalg.norm(row)).astype(np.float32)


def features_of(text: str) -> DocumentFeatures:
    parts = words(text)[:254]
    spans = np.array([[a, b] for _, a, b in parts], dtype=np.int32).reshape(-1, 2)
    nll = np.array([20.0 if w.startswith("zz") else 1.0 for w, _, _ in parts[1:]], dtype=np.float32)
    vectors = np.array([unit(w) for w, _, _ in parts], dtype=np.float32).reshape(-1, DIMENSION)
    return DocumentFeatures(TokenSurprisal(nll, spans[1:]), TokenVectors(vectors, spans))


class StandInFeatures:
    """Features of word lists. ``slow`` seconds each; ``warm`` texts are there at once; ``broken`` ones fail."""

    def __init__(self, slow: float = 0.0, broken: str | None = None) -> None:
        self.slow, self.broken = slow, broken
        self.warm: dict[str, DocumentFeatures] = {}
        self.model_keys = {"causal_lm": "test:lm", "trace_encoder": "test:words"}
        self.guard = threading.Lock()

    def heat(self, texts: Sequence[str]) -> None:
        self.warm |= {text: features_of(text) for text in texts}

    def peek(self, texts: Sequence[str]) -> list[bool]:
        return [text in self.warm for text in texts]

    def get(self, texts: Sequence[str], deadline_s: float) -> FeatureResult:
        end, found, failed = time.monotonic() + deadline_s, {}, {}
        for text in texts:
            if text not in self.warm and deadline_s > 0:
                if self.broken is not None and self.broken in text:
                    failed[text] = "RuntimeError: no weights"
                    continue
                if time.monotonic() + self.slow <= end:
                    time.sleep(self.slow)
                    self.heat([text])
            if text in self.warm:
                found[text] = self.warm[text]
        return FeatureResult(found, tuple(t for t in texts if t not in found), failed)

    def query(self, text: str, deadline_s: float) -> TokenVectors:
        if self.broken == "query":
            raise RuntimeError("no weights")
        return features_of(text).vectors


class BagRetriever:
    key = "test:bag"
    dimension = DIMENSION

    def encode(self, texts: Sequence[str], *, kind: str, progress: object = None) -> np.ndarray:
        return np.stack([encode(text) for text in texts])


class Publisher:
    """Writes publications as an owner does."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.number = folder, 0
        folder.mkdir(parents=True)

    def publish(
        self,
        quarantined: Sequence[tuple[str, str]] = (),
        held: Sequence[tuple[str, str, datetime]] = (),
        unadmitted: Sequence[tuple[str, str]] = (),
        tenants: Sequence[tuple[str, str, str]] = (),
    ) -> None:
        self.number += 1
        now = datetime.now(UTC).isoformat()
        content: dict[str, Any] = {
            "format": 1,
            "number": self.number,
            "quarantine_version": f"quar_{self.number}",
            "quarantined": [list(row) for row in quarantined],
            "held": [[corpus, name, end.isoformat()] for corpus, name, end in held],
            "unadmitted": [list(row) for row in unadmitted],
            "published_at": now,
            "tenants": [list(row) for row in tenants],
        }
        data = encode_publication(content)
        file = f"{self.number}.json"
        (self.folder / file).write_bytes(data)
        pointer = {
            "number": self.number,
            "file": file,
            "sha256": hashlib.sha256(data).hexdigest(),
            "confirmed_at": now,
        }
        (self.folder / "next").write_text(json.dumps(pointer))
        (self.folder / "next").replace(self.folder / "current")


class Sink:
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.answers: list[Any] = []
        self.put, self.put_answer = self.events.append, self.answers.append


def clean_texts(count: int) -> list[str]:
    """Distinct texts about the same subject, without a word of their own shared by only some."""
    rng = np.random.default_rng(3)
    stock = [f"word{i}" for i in range(80)]
    return [
        f"note {i} on harbour festival " + " ".join(rng.choice(stock, 40, replace=False).tolist()) for i in range(count)
    ]


def small_corpus(texts: Sequence[str], tenants: Sequence[str] | None = None, **given: Any) -> GateCorpus:
    ids = given.pop("ids", [f"d{i:02d}" for i in range(len(texts))])
    return GateCorpus(
        "harbour",
        "snap_1",
        ids,
        list(texts),
        [content_hash(text) for text in texts],
        list(tenants or ["default"] * len(texts)),
        vectors=np.stack([encode(text) for text in texts]),
        encoder="test:bag",
        **given,
    )


def ranking(corpus: GateCorpus, rows: Sequence[int] | None = None) -> list[RankedDocument]:
    chosen = range(len(corpus)) if rows is None else rows
    return [
        RankedDocument(corpus.ids[row], rank, corpus.texts[row], None, 1 - rank / 1000)
        for rank, row in enumerate(chosen, start=1)
    ]
