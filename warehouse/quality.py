"""How good the review is: agreement, known items, time to decision, and recall from random samples."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import Any

from ragsieve_core.review.kappa import Agreement, cohen_kappa
from ragsieve_core.review.recall import RecallEstimate, StratumCount, recall_from
from warehouse import corpora, sql
from warehouse.database import Warehouse
from warehouse.labels import record_labels
from warehouse.principal import Principal
from warehouse.records import LabelRecord


@dataclass(frozen=True, slots=True)
class ReviewQuality:
    """How the desk works.

    Attributes
    ----------
    agreement : verdicts against blind second looks (promoted or not), items that somebody could not tell left out.
    known : per reviewer, known items answered and answered right.
    decisions : alerts that were decided.
    median_hours, p90_hours : from an alert's opening to its first verdict; None without any.
    """

    agreement: Agreement
    known: dict[str, tuple[int, int]]
    decisions: int
    median_hours: float | None
    p90_hours: float | None


def review_quality(wh: Warehouse, *, principal: Principal, corpus: str = "", level: float = 0.95) -> ReviewQuality:
    """Agreement, known items and time to decision, over what the caller may see. Needs the role approver."""
    principal.require("approver", "read the quality of review")
    scope = {"corpus": corpus, **principal.scope()}
    with wh.reading() as cursor:
        pairs = sql.rows(cursor, "second_looks", **scope)
        seeded = sql.rows(cursor, "known_answers", **scope)
        times = sorted(float(row["hours"]) for row in sql.rows(cursor, "decision_times", **scope))
    told = [row for row in pairs if row["promoted"] is not None]
    agreement = cohen_kappa([row["verdict"] for row in told], [row["promoted"] for row in told], level=level)
    known: dict[str, list[bool]] = defaultdict(list)
    for row in seeded:
        known[row["reviewer"]].append(row["promoted"] is not None and row["promoted"] == row["truth"])
    return ReviewQuality(
        agreement,
        {name: (len(answers), sum(answers)) for name, answers in sorted(known.items())},
        len(times),
        median(times) if times else None,
        times[min(len(times) - 1, int(0.9 * len(times)))] if times else None,
    )


def recall_estimate(
    wh: Warehouse, corpus: str, *, principal: Principal, detector: str = "rsg", level: float = 0.95
) -> RecallEstimate:
    """Recall of a detector over a corpus from the latest draw of what it did not flag.

    Flagged documents count as found by the verdict quarantine, and as undecided without a verdict of keep or
    quarantine. Without a draw the state is ``no_samples`` and no number is given.

    Raises
    ------
    InputError
        unknown corpus, or samples that do not fit their draw.
    """
    principal.require("viewer", "read estimates")
    if principal.tenants is not None:
        principal.require_tenant("*", "estimate recall, which spans all tenants,")
    corpus_id = corpora.get_corpus(wh, corpus, principal=principal).corpus_id
    with wh.reading() as cursor:
        rows = sql.rows(cursor, "sample_counts", corpus_id=corpus_id, detector=detector)
        flagged = sql.row(cursor, "flagged_verdicts", corpus_id=corpus_id, detector=detector, **principal.scope())
    strata = [
        StratumCount(int(row["population"]), int(row["drawn"]), int(row["positives"]), int(row["negatives"]))
        for row in rows
    ]
    found, undecided = (int(flagged["found"]), int(flagged["undecided"])) if flagged else (0, 0)
    return recall_from(strata, found=found, undecided=undecided, level=level)


def sampled_corpora(wh: Warehouse, *, principal: Principal) -> tuple[str, ...]:
    """Names of corpora from which units that were not flagged were ever drawn: only there recall can be estimated."""
    seen = {corpus.name for corpus in corpora.list_corpora(wh, principal=principal)}
    with wh.reading() as cursor:
        return tuple(str(row["name"]) for row in sql.rows(cursor, "sampled_corpora") if row["name"] in seen)


def record_review_labels(wh: Warehouse, *, principal: Principal, corpus: str = "") -> int:
    """Store verdicts and blind answers as labels with provenance ``reviewer``; returns how many were new.

    A verdict: source ``alert:<id>``, quarantine as true positive or keep as benign, no sampling probability, because
    flagged documents are no random sample. A blind answer: source ``sample:<id>`` with its probability. A held-out
    split never takes either (:func:`warehouse.labels.list_labels` with ``held_out``).
    """
    principal.require("approver", "record labels of reviews")
    with wh.reading() as cursor:
        rows: list[dict[str, Any]] = sql.rows(cursor, "review_labels", corpus=corpus, **principal.scope())
    labels = [
        LabelRecord(
            corpus=row["corpus"],
            document_id=row["document_id"],
            poison=bool(row["poison"]),
            provenance="reviewer",
            source=row["source"],
            sampling_probability=row["probability"],
        )
        for row in rows
    ]
    return record_labels(wh, labels, principal=principal) if labels else 0
