from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.services.canary import searching, verify_version
from ragsieve_core.formats.records import RecordBatchColumns
from tests.warehouse.builders import event_of
from tests.warehouse.desk import ADA, LOCAL, alerts
from warehouse.canary import canary_results, run_canary
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.events import record_events
from warehouse.ingest import ingest
from warehouse.records import EncoderSpec

VECTORS = np.eye(4, dtype=np.float32)


class Axis:
    """A retriever whose question "axis n" is the n-th unit vector."""

    key = "axes"

    def encode(self, texts, kind="passage", **_):
        return np.stack([VECTORS[int(text.split()[1])] for text in texts])


@pytest.fixture
def version(tmp_path: Path):
    with Warehouse.open(tmp_path / "w.duckdb", command="pytest") as wh:
        batch = RecordBatchColumns(id=[f"d{n}" for n in range(4)], text=[f"text {n}" for n in range(4)])
        ingest(wh, "c", [batch], principal=ADA, embeddings=VECTORS, encoder=EncoderSpec("axes", "axes", 4))
        events = [
            event_of("axis 0", ["d0", "d1"], {"d0"}),
            event_of("axis 0", ["d0", "d2"], store_query=False, tenant="t"),
        ]
        record_events(wh, events, principal=ADA)
        name = alerts(wh)["d0"]
        done = decide(wh, name, 1, principal=LOCAL, verdict="quarantine", reason="true_positive", at_once=True)
        yield wh, str(done.quarantine_id)


def test_the_snapshot_is_searched_again(version) -> None:
    wh, name = version
    report = verify_version(wh, name, principal=ADA, retriever=Axis())
    rows = canary_results(wh, report.run_id, principal=ADA)
    assert {(row["method"], row["outcome"]) for row in rows} == {
        ("retrieval", "verified_absent"),
        ("stored_ranking", "verified_absent"),
    }
    assert report.sound


def test_a_search_that_ignores_the_quarantine_would_be_seen(version) -> None:
    from ragsieve_core.publication import InForce

    wh, name = version
    real = searching(wh, Axis(), ADA)
    report = run_canary(wh, name, principal=ADA, replay=lambda queries, _: real(queries, InForce()))
    assert report.outcomes["still_present"] == 2


def test_without_vectors_of_the_retriever_it_falls_back_and_says_so(version) -> None:
    wh, name = version
    other = Axis()
    other.key = "other"
    report = verify_version(wh, name, principal=ADA, retriever=other)
    rows = canary_results(wh, report.run_id, principal=ADA)
    assert {row["method"] for row in rows} == {"stored_ranking"}
    assert all(row["detail"] for row in rows)
