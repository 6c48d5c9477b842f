"""Documents per second into a new warehouse, text only: ``python -m benchmarks.ingest [--documents N]``.

Budget: at least 20,000 documents a second at 100,000 documents. Prints one line per step and exits 1 below the budget.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ragsieve_core.formats.records import RecordBatchColumns
from warehouse.database import Warehouse
from warehouse.ids import utc_now
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.records import ScanRecord
from warehouse.scans import record_scan, score_page
from warehouse.snapshots import load_snapshot

BUDGET = 20_000
PAGE_BUDGET_MS = 100.0
_BATCH = 10_000


def batches(count: int) -> Iterator[RecordBatchColumns]:
    """Documents of about 600 characters, all different."""
    words = [f"word{number}" for number in range(5000)]
    generator = np.random.default_rng(0)
    for start in range(0, count, _BATCH):
        size = min(_BATCH, count - start)
        picks = generator.integers(0, len(words), (size, 75))
        yield RecordBatchColumns(
            id=[f"doc-{number}" for number in range(start, start + size)],
            text=[" ".join(words[pick] for pick in row) for row in picks],
            title=[f"Title {number}" for number in range(start, start + size)],
        )


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--scores", type=int, default=1_000_000)
    options, _ = parser.parse_known_args()
    ready = list(batches(options.documents))
    me = Principal("benchmark", "admin")
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, Warehouse.open(Path(folder) / "b.duckdb", command="benchmark") as wh:
        for name in ("first", "again"):
            clock = time.perf_counter()
            result = ingest(wh, "bench", ready, principal=me)
            figures[f"{name}_documents_per_s"] = options.documents / (time.perf_counter() - clock)
            print(f"{name}: accepted {result.accepted:,} duplicates {result.duplicates:,}", flush=True)
        clock = time.perf_counter()
        load_snapshot(wh, str(result.snapshot), principal=me)
        figures["load_snapshot_s"] = time.perf_counter() - clock
        figures |= _pages(wh, me, options.scores)
    print(json.dumps({name: round(value, 1) for name, value in figures.items()}, indent=1))
    slow = max(value for name, value in figures.items() if name.startswith("page_"))
    return 0 if figures["first_documents_per_s"] >= BUDGET and slow <= PAGE_BUDGET_MS else 1


def _pages(wh: Warehouse, me: Principal, count: int) -> dict[str, float]:
    """Milliseconds (best of three) of pages over ``count`` score rows."""
    empty = (
        RecordBatchColumns(id=[f"p{n}" for n in range(s, s + _BATCH)], text=["."] * _BATCH)
        for s in range(0, count, _BATCH)
    )
    snapshot = str(ingest(wh, "pages", empty, principal=me).snapshot)
    versions = load_snapshot(wh, snapshot, principal=me, texts=False).version_ids
    score = np.random.default_rng(1).random(len(versions))
    scan = ScanRecord(
        "pages", snapshot, "rsg", "paper", {}, "k", 0.999, "1", utc_now(), 0.0, versions, score, score >= 0.999,
        floor=score, density=score[::-1].copy(), eligible_neighbors=(score * 16).astype(int),
    )  # fmt: skip
    name = record_scan(wh, scan, principal=me).scan
    figures = {}
    for label, arguments in {
        "score": {"sort": "score"},
        "density_up_offset_10000": {"sort": "density", "descending": False, "offset": 10_000},
        "eligible_neighbors": {"sort": "eligible_neighbors"},
        "flagged": {"sort": "floor", "flagged": True},
        "document_id": {"sort": "document_id"},
        "search": {"sort": "score", "search": "p99"},
    }.items():
        times = []
        for _ in range(3):
            clock = time.perf_counter()
            score_page(wh, name, principal=me, **arguments)  # type: ignore[arg-type]
            times.append(1000 * (time.perf_counter() - clock))
        figures[f"page_{label}_ms"] = min(times)
    return figures


if __name__ == "__main__":
    raise SystemExit(main())
