"""A small corpus in memory, a folder to publish in, and features that are instant, slow or broken on demand."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ragsieve_core.document import RankedDocument, content_hash
from ragsieve_core.gate import FeatureResult, GateCorpus, Ready
from ragsieve_core.models.roles import TokenSurprisal, TokenVectors
from ragsieve_core.publication import encode_publication
from ragsieve_core.rsq import RSQConfig

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


@dataclass(frozen=True)
class Both:
    surprisal: TokenSurprisal
    vectors: TokenVectors


def features_of(text: str) -> Both:
    parts = words(text)[:254]
    spans = np.array([[a, b] for _, a, b in parts], dtype=np.int32).reshape(-1, 2)
    nll = np.array([20.0 if w.startswith("zz") else 1.0 for w, _, _ in parts[1:]], dtype=np.float32)
    vectors = np.array([unit(w) for w, _, _ in parts], dtype=np.float32).reshape(-1, DIMENSION)
    return Both(TokenSurprisal(nll, spans[1:]), TokenVectors(vectors, spans))


class StandInFeatures:
    """Features of word lists. ``slow`` seconds each; ``warm`` texts are there at once; ``broken`` ones fail.

    Surprisal is computed where it is wanted alone; ``asked`` says for which texts.
    """

    def __init__(self, slow: float = 0.0, broken: str | None = None) -> None:
        self.slow, self.broken = slow, broken
        self.warm: dict[str, Both] = {}
        self.vectors_only: set[str] = set()
        self.asked: list[tuple[tuple[str, ...], Set[str]]] = []
        self.model_keys = {"causal_lm": "test:lm", "trace_encoder": "test:words"}
        self.guard = threading.Lock()

    def heat(self, texts: Sequence[str]) -> None:
        self.warm |= {text: features_of(text) for text in texts}

    def peek(self, texts: Sequence[str], known: Set[str]) -> Ready:
        both = {text for text in texts if text in self.warm}
        return Ready(both - self.vectors_only, both)

    def get(self, texts: Sequence[str], surprisal_for: Set[str], known: Set[str], deadline_s: float) -> FeatureResult:
        end, failed = time.monotonic() + deadline_s, {}
        self.asked.append((tuple(texts), surprisal_for))
        for text in texts:
            lacks = text not in self.warm or (text in surprisal_for and text in self.vectors_only)
            if lacks and deadline_s > 0:
                if self.broken is not None and self.broken in text:
                    failed[text] = "RuntimeError: no weights"
                    continue
                if time.monotonic() + self.slow <= end:
                    time.sleep(self.slow)
                    self.heat([text])
                    if text not in surprisal_for:
                        self.vectors_only.add(text)
                    else:
                        self.vectors_only.discard(text)
        return FeatureResult(
            {t: self.warm[t].surprisal for t in texts if t in self.warm and t not in self.vectors_only},
            {t: self.warm[t].vectors for t in texts if t in self.warm},
            failed,
        )

    def lexical(self, texts: Sequence[str], config: RSQConfig, known: Set[str]) -> None:
        return None

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
        policy: Sequence[dict[str, Any]] = (),
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
            "policy_version": f"policy_{self.number}" if policy else None,
            "policy": list(policy),
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
