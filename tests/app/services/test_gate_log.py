"""The gate's event log: nothing lost in silence, nothing twice, and a query's text only where the policy keeps it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.services.gate_corpus import Renewal, gate_access, load_gate_corpus
from app.services.gate_features import TenantFeatures
from app.services.gate_log import GateLog
from ragsieve_core.document import RankedDocument
from ragsieve_core.errors import InputError
from ragsieve_core.gate import AnswerGiven, Gate, GateConfig
from ragsieve_core.models.feature_cache import Features
from ragsieve_core.publication import PublicationReader
from ragsieve_core.rsq import rsq_preset
from tests.gate_stand_ins import QUESTION, StandInFeatures, clean_texts, ranking
from warehouse.answers import gate_events
from warehouse.database import Warehouse
from warehouse.events import get_event
from warehouse.facts import fact, query_hash
from warehouse.inbox import take_in
from warehouse.segments import decode


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "w.duckdb"


@pytest.fixture
def filled(path: Path, batches, principal) -> Path:
    from warehouse.ingest import ingest

    with Warehouse.open(path, command="test") as opened:
        rows = [{"id": f"d{i:02d}", "text": text} for i, text in enumerate(clean_texts(40))]
        ingest(opened, "harbour", batches(rows), principal=principal)
    return path


def open_gate(path: Path, models, log: GateLog, **settings) -> Gate:
    with gate_access(path, print) as access:
        corpus = load_gate_corpus(access, "harbour", models)
    published = PublicationReader(path.with_name(path.name + ".d") / "published")
    return Gate(
        corpus,
        published,
        StandInFeatures(),
        GateConfig(**settings),
        rsq_preset("paper"),
        retriever=models.retriever,
        sink=log,
    )


def test_every_call_arrives_once_with_versions_evidence_and_order(filled, models, principal) -> None:
    log = GateLog(filled, interval_s=0.05)
    gate = open_gate(filled, models, log)
    given = ranking(gate.corpus)
    given[0] = RankedDocument("stranger", 1, "a text nobody ingested")
    calls = [gate.filter(QUESTION, given, index_version="idx-9", query_id="q1"), gate.retrieve(QUESTION)]
    gate.record_answer(calls[1].event_id, "a1", [calls[1].context_ids[0]])
    health = log.close()
    assert (health.written, health.lost, health.waiting, health.ok) == (3, 0, 0, True)
    with Warehouse.open(filled, command="test") as wh:
        for _ in range(2):
            take_in(wh)
        found = {row["event_id"]: row for row in gate_events(wh, principal=principal)}
        assert set(found) == {call.event_id for call in calls}
        assert found[calls[0].event_id]["index_version"] == "idx-9"
        assert found[calls[1].event_id]["answers"] == 1
        detail = get_event(wh, calls[0].event_id, principal=principal)
        assert [row["document_id"] for row in detail.ranking] == [document.id for document in given]
        assert detail.ranking[0]["origin"] == "event"
        assert {row["origin"] for row in detail.ranking[1:]} == {"ingest"}
        assert len(detail.candidates) == 5
        assert detail.event["quarantine_version"] is None
        numbers = [get_event(wh, call.event_id, principal=principal).event["state_detail"] for call in calls]
        assert ['"sequence":1' in numbers[0], '"sequence":2' in numbers[1]] == [True, True]


def test_a_hashed_query_never_leaves_the_gate_as_text(filled, models, principal) -> None:
    sent: list[bytes] = []
    log = GateLog(filled, interval_s=0.05, deliver=lambda path, data: sent.append(data))
    with Warehouse.open(filled, command="test") as wh:
        key = fact(wh, "query_key")
    call = open_gate(filled, models, log, query_log="hash").retrieve("secret question of mine")
    log.close()
    assert b"secret question" not in b"".join(sent)
    assert call.state == "ok"
    assert query_hash(key, "secret question of mine").encode() in b"".join(sent)


def test_what_the_buffer_cannot_take_is_counted_and_the_rest_waits_for_the_disk(path) -> None:
    failing, sent = [True], []

    def deliver(where, data):
        if failing[0]:
            raise OSError(28, "No space left on device")
        sent.append(data)

    log = GateLog(path, capacity=5, batch=2, interval_s=0.01, deliver=deliver)
    for number in range(8):
        log.put_answer(AnswerGiven("e", f"a{number}", "c", "", (), datetime.now(UTC)))
    assert log.health.lost == 3
    deadline = time.monotonic() + 5
    while not log.health.problem and time.monotonic() < deadline:
        time.sleep(0.01)
    assert "No space left" in log.health.problem
    failing[0] = False
    health = log.close()
    assert (health.written, health.lost, health.problem, health.ok) == (5, 3, "", False)
    told = [row for data in sent for row in decode(data).tables["answers"]["answer_id"].to_pylist()]
    assert told == ["a0", "a1", "a2", "a3", "a4"]


def test_a_disk_that_stays_full_at_the_end_is_a_counted_loss(path) -> None:
    def deliver(where, data):
        raise OSError(28, "No space left on device")

    log = GateLog(path, interval_s=0.01, deliver=deliver)
    log.put_answer(AnswerGiven("e", "a", "c", "", (), datetime.now(UTC)))
    assert log.close().lost == 1
    log.put_answer(AnswerGiven("e", "b", "c", "", (), datetime.now(UTC)))
    assert log.health.lost == 2


def test_the_snapshot_is_renewed_while_the_gate_works(filled, models, batches, principal) -> None:
    from app.services.gate_corpus import latest_id
    from warehouse.ingest import ingest

    log = GateLog(filled, interval_s=0.05)
    gate = open_gate(filled, models, log)

    def load():
        with gate_access(filled, print) as access:
            return load_gate_corpus(access, "harbour", models)

    renewal = Renewal(gate, filled, load, lambda: latest_id(filled, "harbour", models.retriever.key), 0.05)
    first = gate.corpus.snapshot
    with Warehouse.open(filled, command="test") as wh:
        ingest(wh, "harbour", batches([{"id": "fresh", "text": QUESTION}]), principal=principal)
    deadline = time.monotonic() + 20
    while gate.corpus.snapshot == first and time.monotonic() < deadline:
        time.sleep(0.05)
    renewal.close()
    assert gate.retrieve(QUESTION).context_ids[0] == "fresh"
    assert len(gate.corpus) == 41
    with gate_access(filled, print) as access:
        pinned = load_gate_corpus(access, "harbour", models, snapshot=first)
    assert (len(pinned), int(pinned.superseded.sum())) == (40, 0)
    with Warehouse.open(filled, command="test") as wh:
        ingest(wh, "harbour", batches([{"id": "d00", "text": "another text"}]), principal=principal)
    with gate_access(filled, print) as access:
        pinned = load_gate_corpus(access, "harbour", models, snapshot=first)
    assert [pinned.ids[row] for row in pinned.superseded.nonzero()[0]] == ["d00"]
    log.close()


def test_a_gate_needs_a_warehouse_and_a_corpus(path, filled, models, tmp_path) -> None:
    with pytest.raises(InputError, match="no warehouse"), gate_access(tmp_path / "none.duckdb", print):
        pass
    with pytest.raises(InputError), gate_access(filled, print) as access:
        load_gate_corpus(access, "no such corpus", models)


def test_each_tenant_has_features_of_its_own(models) -> None:
    shared = Features(models.causal_lm, models.trace_encoder)
    pool = TenantFeatures(shared, lambda: models.causal_lm, lambda: models.trace_encoder, rsq_preset("paper"))
    text, none = "a shared text", frozenset()
    assert list(pool("b").get([text], frozenset([text]), frozenset([text]), 5).surprisal) == [text]
    assert not pool("a").peek([text], frozenset([text])).vectors
    assert pool("b") is pool("b")
    assert not pool(None).peek([text], none).vectors
    pool(None).get([text], frozenset([text]), none, 5)
    assert pool("a").peek([text], frozenset([text])).surprisal == {text}
    assert not pool("a").peek([text], none).surprisal
    pool.close()
