"""A question from a screen: the event that `ragsieve query` would store, for the person who asks."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from app.services import console_models
from app.services.background import CancelledWorkError
from app.services.owner_access import OwnerAccess
from app.services.questions import LONGEST, Question, answer
from ragsieve_core.errors import InputError, ModelUnavailableError
from tests.app.services.test_asking import BAD, QUESTION, ROWS
from warehouse.errors import PermissionRefusedError
from warehouse.events import get_event, list_events
from warehouse.ingest import ingest
from warehouse.principal import Principal


@pytest.fixture
def stand_ins(models, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Stand-in models in place of any profile; the profiles that were opened."""
    opened: list[str] = []

    def open_models(profile: str):
        opened.append(profile)
        return models

    monkeypatch.setattr(console_models, "open_models", open_models)
    monkeypatch.setattr(console_models, "_held", {})
    return opened


def test_it_is_stored_and_says_what_it_does(wh, access, batches, principal, stand_ins) -> None:
    first = ingest(wh, "c", batches(ROWS), principal=principal)
    ingest(wh, "c", batches([BAD]), principal=principal)
    titles: list[str] = []
    event = answer(access, Question("c", QUESTION[1]), lambda title, *_: titles.append(title))
    found = get_event(wh, event, principal=principal)
    assert found.event["source"] == "query"
    assert found.event["query_text"] == QUESTION[1]
    assert [c["document_id"] for c in found.candidates if c["flagged"]] == ["bad"]
    assert titles == [
        "loading the retriever",
        "loading the causal LM",
        "loading the trace encoder",
        "retrieving and scoring",
    ]
    earlier = answer(access, Question("c", QUESTION[1], snapshot=first.snapshot, rule="paper"), lambda *_: None)
    then = get_event(wh, earlier, principal=principal)
    assert (then.event["snapshot_id"], then.event["rule"]) == (first.snapshot, "paper")
    assert "bad" not in [row["document_id"] for row in then.ranking]
    # Opened once, kept for the next question
    assert stand_ins == ["embedded"]


def test_a_person_of_one_tenant_asks_over_their_documents_alone(wh, batches, principal, stand_ins) -> None:
    ingest(wh, "c", batches([row | {"tenant": "ab"[place % 2]} for place, row in enumerate(ROWS)]), principal=principal)
    rea = Principal("rea", "reviewer", frozenset({"a"}))
    event = answer(OwnerAccess(wh, rea), Question("c", QUESTION[1], tenant="a"), lambda *_: None)
    found = get_event(wh, event, principal=rea)
    assert found.event["tenant"] == "a"
    assert {int(row["document_id"][1:]) % 2 for row in found.ranking} == {0}
    assert list_events(wh, principal=replace(rea, tenants=frozenset({"b"}))).total == 0


def test_what_cannot_be_asked(wh, access, batches, principal, stand_ins, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="the question is empty"):
        Question("c", " \n")
    with pytest.raises(InputError, match="characters"):
        Question("c", "x" * (LONGEST + 1))
    with pytest.raises(InputError, match="no corpus"):
        answer(access, Question("c", "x"), lambda *_: None)
    ingest(wh, "c", batches(ROWS), principal=principal)
    with pytest.raises(PermissionRefusedError):
        answer(OwnerAccess(wh, Principal("vic", "viewer")), Question("c", "x"), lambda *_: None)
    assert stand_ins == []

    def missing(profile: str):
        raise ModelUnavailableError(f"the weights of {profile} are not here", do="ragsieve models prepare")

    monkeypatch.setattr(console_models, "open_models", missing)
    with pytest.raises(ModelUnavailableError):
        answer(access, Question("c", "x", profile="paper"), lambda *_: None)
    # The next piece of work is not kept out by the one that failed
    assert console_models._one.acquire(timeout=1)
    console_models._one.release()


def test_it_waits_for_other_work_and_can_be_cancelled_meanwhile(access, wh, batches, principal, stand_ins) -> None:
    ingest(wh, "c", batches(ROWS), principal=principal)
    told: list[str] = []
    done = threading.Event()

    def tell(title: str, *_: int) -> None:
        told.append(title)
        raise CancelledWorkError

    def work() -> None:
        with pytest.raises(CancelledWorkError):
            answer(access, Question("c", "x"), tell)
        done.set()

    assert console_models._one.acquire(timeout=1)
    try:
        threading.Thread(target=work).start()
        assert done.wait(10)
    finally:
        console_models._one.release()
    assert told == ["waiting for other work with the models"]
