"""Warming: most exposed first, resumable, within the limit, and the same plan for whoever does not own the file."""

from __future__ import annotations

import pytest

from app.services.asking import ask
from app.services.features import CacheOptions, open_features
from app.services.inbox_access import InboxAccess
from app.services.owner_access import OwnerAccess
from app.services.owner_jobs import JobWorker
from app.services.owning import DASHBOARD
from app.services.warming import CHUNK, Warmed, plan_warming, warm
from ragsieve_core.errors import InputError
from ragsieve_core.models.feature_cache import DiskTier, Features
from warehouse.database import Warehouse
from warehouse.ingest import ingest

ROWS = [{"id": f"d{i:03d}", "text": f"the keeper of island{i} lived on note{i}"} for i in range(150)]


@pytest.fixture
def corpus(wh, principal, batches) -> str:
    ingest(wh, "c", batches([*ROWS, {"id": "twin", "text": ROWS[0]["text"]}]), principal=principal)
    return "c"


def test_exposed_documents_come_first_and_each_text_once(access, models, corpus: str) -> None:
    assert plan_warming(access, corpus).exposed == 0
    [(answers, _)] = list(ask(access, corpus, [("q", "the keeper of island77 on note77")], models))
    top = [document.text for document in answers[0].context.documents[:20]]
    plan = plan_warming(access, corpus)
    assert plan.exposed == len(set(top))
    assert set(plan.texts[: plan.exposed]) == set(top)
    assert sorted(plan.texts) == sorted({row["text"] for row in ROWS})
    assert set(plan_warming(access, corpus, only_exposed=True).texts) == set(top)


def test_an_interrupted_run_goes_on(wh, models, access, corpus: str) -> None:
    texts = plan_warming(access, corpus).texts

    def interrupt(state: Warmed) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        warm(open_features(models, wh.path), texts, interrupt)
    steps: list[Warmed] = []
    done = warm(open_features(models, wh.path), texts, steps.append)
    assert (done.documents, done.done, done.computed) == (150, 150, 150 - CHUNK)
    assert [step.done for step in steps] == [64, 128, 150]
    assert done.bytes_per_document == 4 * 4096
    assert done.documents_per_second > 0
    assert steps[1].seconds_left is not None
    again = warm(open_features(models, wh.path), texts, steps.append)
    assert (again.computed, again.seconds_left, again.bytes) == (0, None, done.bytes)
    everything = open_features(models, wh.path).peek(texts)
    assert everything.surprisal == everything.vectors == set(texts)


def test_it_stops_at_the_limit_and_evicts_nothing(wh, models, access, corpus: str) -> None:
    texts = plan_warming(access, corpus).texts
    features = open_features(models, wh.path, limit=2 * CHUNK * 24_576)
    done = warm(features, texts, lambda _: None)
    assert not done.limit_reached
    small = Features(models.causal_lm, models.trace_encoder, disk=DiskTier(wh.side.root / "other", 100 * 3 * 4096))
    stopped = warm(small, texts, lambda _: None)
    assert stopped.limit_reached
    assert small.disk.tally().evicted == 0
    assert stopped.bytes <= 100 * 3 * 4096


def test_without_a_folder_or_without_the_owner(wh, models, access, corpus: str, monkeypatch) -> None:
    with pytest.raises(InputError, match="needs a folder"):
        warm(open_features(models, wh.path, options=CacheOptions(enabled=False)), ["a"], lambda _: None)
    other = InboxAccess(wh.path, "warm", lambda _: None)
    # The holder is this test, which answers no questions
    assert other.exposure(corpus) is None
    monkeypatch.setattr(other, "snapshot", access.snapshot)
    assert plan_warming(other, corpus).exposed is None
    with pytest.raises(InputError, match="known to the owner"):
        plan_warming(other, corpus, only_exposed=True)


def test_the_disk_is_full(wh, models, access, corpus: str, monkeypatch) -> None:
    features = open_features(models, wh.path)

    def full(tag: str, name: str, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(features.disk, "_place", full)
    with pytest.raises(InputError, match="No space left"):
        warm(features, ["a"], lambda _: None)


def test_beside_the_dashboard_the_exposure_is_asked_of_it(tmp_path, principal, models, batches) -> None:
    with Warehouse.open(tmp_path / "shown.duckdb", command=DASHBOARD) as shown:
        own = OwnerAccess(shown, principal)
        ingest(shown, "c", batches(ROWS), principal=principal)
        list(ask(own, "c", [("q", "the keeper of island77 on note77")], models))
        other = InboxAccess(shown.path, "warm", lambda _: None)
        worker = JobWorker(shown).start()
        try:
            assert other.exposure("c") == own.exposure("c")
            assert len(other.exposure("c")) == 20
        finally:
            worker.stop()
        # A dashboard that does not answer is waited for no longer than asked
        assert InboxAccess(shown.path, "warm", lambda _: None, wait_s=0.1).exposure("c") is None
