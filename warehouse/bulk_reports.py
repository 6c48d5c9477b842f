"""Stored jobs: which there are, how far they are, and what came of each item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragsieve_core.errors import InputError
from warehouse import sql
from warehouse.database import Warehouse
from warehouse.principal import Principal


@dataclass(frozen=True, slots=True)
class BulkReport:
    """Exact counts of a job: ``done + refused + left == items``; ``reasons`` counts the refused ones by name."""

    job_id: str
    act: str
    items: int
    exceptions: int
    done: int
    refused: int
    left: int
    reasons: Mapping[str, int]
    author: str
    quarantine_ids: tuple[str, ...] = ()


def report(wh: Warehouse, job_id: str, *, principal: Principal) -> BulkReport:
    """Exact counts of a job so far."""
    principal.require("viewer", "read a bulk job")
    job = job_of(wh, job_id)
    with wh.reading() as cursor:
        counted = sql.rows(cursor, "bulk_counts", job_id=job_id)
        made = sql.rows(cursor, "bulk_quarantines", job_id=job_id)
    done = sum(int(row["items"]) for row in counted if row["outcome"] == "done")
    reasons = {row["reason"]: int(row["items"]) for row in counted if row["outcome"] == "refused"}
    refused = sum(reasons.values())
    items = int(job["items"])
    return BulkReport(
        job_id,
        job["act"],
        items,
        int(job["exceptions"]),
        done,
        refused,
        items - done - refused,
        reasons,
        job["actor"],
        tuple(str(row["quarantine_id"]) for row in made if row["quarantine_id"]),
    )


def results(wh: Warehouse, job_id: str, *, principal: Principal) -> list[dict[str, Any]]:
    """Items of a job the caller may see: position, alert_id, document_id, outcome (null while it is left), reason."""
    with wh.reading() as cursor:
        return sql.rows(cursor, "bulk_items", job_id=job_id, **principal.scope())


def list_jobs(wh: Warehouse, *, principal: Principal) -> list[dict[str, Any]]:
    """Jobs, latest first: job_id, act, items, exceptions, done, refused, left, actor, acted_at."""
    principal.require("viewer", "list bulk jobs")
    with wh.reading() as cursor:
        return sql.rows(cursor, "bulk_jobs", job_id="")


def job_of(wh: Warehouse, job_id: str) -> dict[str, Any]:
    """A stored job.

    Raises
    ------
    InputError
        unknown.
    """
    with wh.reading() as cursor:
        found = sql.rows(cursor, "bulk_jobs", job_id=job_id) if job_id else []
    if not found:
        raise InputError(f"no bulk job {job_id!r}", where="job", do="ragsieve bulk list")
    return found[0]
