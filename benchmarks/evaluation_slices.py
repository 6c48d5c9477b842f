"""The evaluation heatmap filled by the product's own commands: ``python -m benchmarks.evaluation_slices --out FOLDER``.

Two datasets (2wiki with targets of nq and of hotpotqa) x two retrievers (MiniLM, TF-IDF + SVD) x three attacks x the
detectors RSQ and RSG (both rules). This file makes inputs: documents, vectors, labels and rankings. Everything that
ends in a cell goes through `ragsieve ingest | label | scan | replay | evaluate`, each command printed as it runs.
Run by hand, not by `make bench`: with models on two cores it takes many minutes. Needs the third-party texts beside
the repository.
"""

from __future__ import annotations

import argparse
import json
import random
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._rsg_corpora import ROOT, Corpus, Part, planted, wiki
from benchmarks._rsg_encoders import Vectors, corpus_vectors

RETRIEVERS = {"MiniLM": "minilm", "TF-IDF + SVD": "tfidf-svd"}
DATASETS = ("nq", "hotpotqa")
ATTACKS = ("query_passage", "passage_only", "script_prefix")
DEPTH = 20
_SALAD = [
    "что",
    "ที่",
    "это",
    "और",
    "है",
    "أن",
    "من",
    "της",
    "και",
    "הוא",
    "של",
    "的是",
    "です",
    "그리고",
    "და",
    "որ",
    "जो",
    "যে",
]


def attack_texts(part: Part, queries: dict[str, str], targets: int) -> tuple[Part, dict[str, str]]:
    """The first targets in turn under each attack; ``query_passage`` is the published one.

    ``passage_only`` leaves the question out in front; ``script_prefix`` puts words of many scripts before it, as
    gradient attacks on a retriever come to look.
    """
    names = list(dict.fromkeys(part.target))[: targets * len(ATTACKS)]
    attack_of = {name: ATTACKS[place % len(ATTACKS)] for place, name in enumerate(names)}
    rows = [row for row, name in enumerate(part.target) if name in attack_of]
    texts = []
    for row in rows:
        text, query = part.texts[row], queries[part.target[row]]
        attack = attack_of[part.target[row]]
        if attack == "passage_only":
            text = text[len(query) :].lstrip(". ") if text.startswith(query) else text
        elif attack == "script_prefix":
            draw = random.Random(part.ids[row])
            text = " ".join(draw.choices(_SALAD, k=12)) + " " + text
        texts.append(text)
    kept = part.take(rows)
    return Part(kept.ids, tuple(texts), kept.target, kept.source), attack_of


def query_vectors(retriever: str, documents: Sequence[str], queries: Sequence[str]) -> Vectors:
    """Vectors of the questions in the space of :func:`benchmarks._rsg_encoders.corpus_vectors`."""
    if retriever == "MiniLM":
        from ragsieve_core.models.loading import load
        from ragsieve_core.models.profiles import get_profile

        model = load(get_profile("embedded")).retriever
        return np.asarray(model.encode(list(queries), kind="query"), dtype=np.float32)
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(sublinear_tf=True)
    weights = vectorizer.fit_transform(documents)
    model = TruncatedSVD(min(256, min(weights.shape) - 1), random_state=0).fit(weights)
    matrix = model.transform(vectorizer.transform(queries)).astype(np.float32)
    return np.asarray(matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9), dtype=np.float32)


def rankings(
    part: Part, vectors: Vectors, queries: dict[str, str], asked: Vectors, attack_of: dict[str, str]
) -> list[dict[str, Any]]:
    """For each question its first 20 under attack, and without any planted document (condition clean)."""
    is_clean = np.array([not name for name in part.target])
    attacks = np.array([attack_of.get(name, "") for name in part.target])
    found = []
    for place, name in enumerate(attack_of):
        similarity = vectors @ asked[place]
        # An attacked ranking holds the planted documents of its own attack alone
        for condition, allowed in (
            (attack_of[name], is_clean | (attacks == attack_of[name])),
            ("clean", is_clean),
        ):
            rows = np.argsort(np.where(allowed, -similarity, np.inf), kind="stable")[:DEPTH]
            found.append(
                {
                    "query_id": name,
                    "query": queries[name],
                    "condition": condition,
                    "documents": [
                        {"id": part.ids[row], "rank": rank, "text": part.texts[row], "poison": bool(part.target[row])}
                        for rank, row in enumerate(rows.tolist(), start=1)
                    ],
                }
            )
    return found


def write_lines(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    """JSON Lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def run(*arguments: str | Path) -> None:
    """One command of the product, printed first."""
    words = [str(word) for word in arguments]
    print("$ ragsieve " + shlex.join(words), flush=True)
    subprocess.run([sys.executable, "-m", "app.cli", *words], check=True, cwd=ROOT)


def dataset(data: Path, out: Path, name: str, targets: int, replay: bool) -> None:
    """Inputs of one dataset, and the commands that take them in."""
    source = [json.loads(line) for line in (data / f"poisonedrag/{name}.jsonl").read_text("utf-8").splitlines()]
    queries = {row["query_id"]: row["query"] for row in source}
    bad, attack_of = attack_texts(planted(data, name), queries, targets)
    corpus = Corpus(f"2wiki + {name}", (wiki(data), bad))
    part = corpus.joined()
    label, warehouse = f"2wiki-{name}", ("--warehouse", out / "slices.duckdb")
    documents = write_lines(
        out / f"{name}.documents.jsonl",
        [{"id": i, "text": t} for i, t in zip(part.ids, part.texts, strict=True)],
    )
    labels = write_lines(
        out / f"{name}.labels.jsonl",
        [
            {"document_id": i, "poison": bool(t), "query_id": t, "attack": attack_of.get(t, "")}
            for i, t in zip(part.ids, part.target, strict=True)
        ],
    )
    for retriever, key in RETRIEVERS.items():
        vectors = corpus_vectors(corpus, retriever)
        if vectors is None:
            continue
        stored = out / f"{name}.{key}.npy"
        np.save(stored, vectors)
        run("ingest", "--corpus", label, documents, "--embeddings", stored, "--encoder", key, *warehouse)
        for rule in ("paper", "calibrated"):
            run("scan", "--corpus", label, "--encoder", key, "--rule", rule, *warehouse)
        if replay:
            asked = query_vectors(retriever, part.texts, [queries[one] for one in attack_of])
            contexts = write_lines(
                out / f"{name}.{key}.contexts.jsonl", rankings(part, vectors, queries, asked, attack_of)
            )
            run("replay", contexts, "--corpus", label, "--encoder", key, *warehouse)
    run("label", labels, "--corpus", label, *warehouse)


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill a warehouse and print its cells."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--out", type=Path, help="folder for inputs and the warehouse")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--targets", type=int, default=20, help="attacked questions of each attack and dataset")
    parser.add_argument("--no-replay", action="store_true", help="RSG alone: no language model runs")
    given = parser.parse_args([] if arguments is None else list(arguments))
    if given.out is None:
        print("run by hand: python -m benchmarks.evaluation_slices --out FOLDER")
        return
    if not given.data.is_dir():
        print(f"skipped: the third-party texts are not at {given.data}")
        return
    given.out.mkdir(parents=True, exist_ok=True)
    for name in DATASETS:
        dataset(given.data, given.out, name, given.targets, not given.no_replay)
    run("evaluate", "--warehouse", given.out / "slices.duckdb")


if __name__ == "__main__":
    main(sys.argv[1:])
