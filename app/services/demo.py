"""The example corpus end to end: ingest, scan, questions, labels. Every step is skipped where it was done before."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from app.services.access import Access
from app.services.asking import ask
from app.services.features import open_features
from app.services.models import open_models
from app.services.scanning import Bar, ScanOutcome, scan_corpus
from ragsieve_core.errors import InputError
from ragsieve_core.formats.reading import read_batches
from warehouse.records import LabelRecord

CORPUS = "marrowmere"
SCAN_RULE = "calibrated"
QUERY_RULE = "calibrated"


@dataclass(frozen=True, slots=True)
class DemoOutcome:
    """What stands in the warehouse after the demo."""

    documents: int
    scan: ScanOutcome
    questions: int
    answered_now: int


def read_questions(folder: Path) -> list[tuple[str, str]]:
    """(query id, text) of the example questions."""
    with (folder / "queries.jsonl").open(encoding="utf-8") as file:
        return [(row["query_id"], row["query"]) for row in map(json.loads, file)]


def read_qrels(folder: Path) -> dict[str, set[str]]:
    """Query id -> ids of relevant documents."""
    relevant: dict[str, set[str]] = {}
    with (folder / "qrels.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            relevant.setdefault(row["query_id"], set()).add(row["document_id"])
    return relevant


def read_labels(folder: Path) -> list[LabelRecord]:
    """Which example documents were planted, for evaluation only."""
    with (folder / "labels.jsonl").open(encoding="utf-8") as file:
        return [
            LabelRecord(
                corpus=CORPUS,
                document_id=row["document_id"],
                poison=row["poison"],
                provenance="fixture",
                source="labels.jsonl",
                query_id=row.get("query_id", ""),
                attack=row.get("style", ""),
            )
            for row in map(json.loads, file)
        ]


def prepare_demo(access: Access, folder: Path, *, warehouse: Path, say: Callable[[str], None], bar: Bar) -> DemoOutcome:
    """Fill a warehouse from the example corpus.

    Parameters
    ----------
    folder : holds corpus.jsonl, queries.jsonl, qrels.tsv and labels.jsonl.
    warehouse : its file, beside which features are kept.
    say : takes one line about each step.
    bar : progress display.

    Raises
    ------
    InputError : the folder is not there.
    """
    if not (folder / "corpus.jsonl").is_file():
        raise InputError(
            "the example corpus is missing",
            where=str(folder),
            expected="corpus.jsonl, queries.jsonl, qrels.tsv and labels.jsonl",
            do="run the demo from a checkout of the project, or pass --examples FOLDER",
        )
    models = open_models()
    features = open_features(models, warehouse)
    taken = access.ingest(CORPUS, read_batches([folder / "corpus.jsonl"]), input_name="corpus.jsonl")
    say(f"corpus: {taken['documents']} documents ({taken['accepted']} new)")
    scan = scan_corpus(access, CORPUS, models, rule=SCAN_RULE, bar=bar)
    say(
        f"RSG scan: {scan.flagged} of {scan.documents} documents flagged" + (" (stored before)" if scan.already else "")
    )
    questions = read_questions(folder)
    done = access.answered(CORPUS, scan.snapshot, QUERY_RULE)
    open_questions = [question for question in questions if question[0] not in done]
    if open_questions:
        with (
            bar("answering questions") as step,
            closing(
                ask(access, CORPUS, open_questions, models, rule=QUERY_RULE, features=features, progress=step)
            ) as chunks,
        ):
            flagged = sum(recorded["flagged"] for _, recorded in chunks)
        say(f"RSQ: {len(open_questions)} questions answered, {flagged} candidates flagged")
    else:
        say(f"RSQ: {len(questions)} questions were answered before")
    access.record_labels(read_labels(folder))
    return DemoOutcome(int(taken["documents"]), scan, len(questions), len(open_questions))
