"""What one tenant can see of another's documents in the gate's answers: nothing."""

import json

import numpy as np
import pytest

from ragsieve_core.document import RankedDocument
from tests.gate_stand_ins import QUESTION, StandInFeatures, clean_texts, ranking, small_corpus


def two_corpora():
    """The same documents of tenant a, alone and among documents of b that would rank above them."""
    texts = clean_texts(40)
    alone = small_corpus(texts, ["a"] * 40, ids=[f"d{i:02d}" for i in range(40)])
    theirs = [f"{QUESTION} secret {i}" for i in range(40)]
    mixed_texts = [text for pair in zip(theirs, texts, strict=True) for text in pair]
    mixed_ids = [name for i in range(40) for name in (f"b{i:02d}", f"d{i:02d}")]
    return alone, small_corpus(mixed_texts, ["b", "a"] * 40, ids=mixed_ids)


def plain(answer) -> str:
    shown = answer.shown()
    for name in ("event", "latency_ms"):
        del shown[name]
    return json.dumps(shown, sort_keys=True)


@pytest.mark.parametrize("mode", ["enforce", "shadow"])
def test_answers_are_equal_byte_for_byte_with_and_without_documents_of_others(make_gate, publisher, mode) -> None:
    alone, mixed = two_corpora()
    given = [
        RankedDocument("b00", 1, f"{QUESTION} secret 0"),
        RankedDocument("b01", 2, "guessed text under an id of b"),
        *ranking(alone),
    ]
    publisher.publish(quarantined=[("harbour", "d03")], tenants=[("harbour", "d03", "a")])
    before_gate = make_gate(corpus=alone, mode=mode)
    before = [before_gate.retrieve(QUESTION, tenant="a"), before_gate.filter(QUESTION, given, tenant="a")]
    publisher.publish(
        quarantined=[("harbour", "b00"), ("harbour", "d03")],
        unadmitted=[("harbour", "b02")],
        tenants=[("harbour", "b00", "b"), ("harbour", "b02", "b"), ("harbour", "d03", "a")],
    )
    after_gate = make_gate(corpus=mixed, mode=mode)
    after_gate.retrieve(QUESTION, tenant="b")
    after = [after_gate.retrieve(QUESTION, tenant="a"), after_gate.filter(QUESTION, given, tenant="a")]
    for one, other in zip(before, after, strict=True):
        assert plain(one) == plain(other)
    assert after_gate.retrieve(QUESTION, tenant="b").documents == 39
    assert set(after_gate.counters.read("a")) == {"a"}
    assert after_gate.counters.read("a")["a"].calls == 2


def test_similarities_do_not_depend_on_how_many_documents_others_have(make_gate) -> None:
    alone, mixed = two_corpora()
    one, other = (make_gate(corpus=c).retrieve(QUESTION, tenant="a") for c in (alone, mixed))
    assert [d.similarity for d in one.context] == [d.similarity for d in other.context]
    assert one.snapshot == other.snapshot
    assert make_gate(corpus=mixed).retrieve(QUESTION).snapshot == "snap_1"


def test_a_warm_text_of_one_tenant_is_cold_for_another(make_gate) -> None:
    """With a source for each tenant, being scored in time says nothing of who else holds a text."""
    _, mixed = two_corpora()
    sources = {name: StandInFeatures(slow=9) for name in ("a", "b")}
    sources["b"].heat(mixed.texts)
    gate = make_gate(corpus=mixed, features=sources.__getitem__, budget_ms=50)
    given = [RankedDocument(f"x{i}", i + 1, f"{QUESTION} secret {i}") for i in range(20)]
    assert gate.filter(QUESTION, given, tenant="b").state.value != "unscored"
    assert gate.filter(QUESTION, given, tenant="a").state.value == "unscored"
    assert np.all(np.array(sources["a"].peek([d.text for d in given])) == 0)


def test_a_document_that_moved_to_another_tenant_stays_quarantined(make_gate, publisher) -> None:
    """The caller sees it, so what is in force on its id concerns the caller."""
    alone, _ = two_corpora()
    publisher.publish(quarantined=[("harbour", "d00")], tenants=[("harbour", "d00", "b")])
    for answer in (
        make_gate(corpus=alone).retrieve(QUESTION, tenant="a"),
        make_gate(corpus=alone).filter(QUESTION, ranking(alone), tenant="a"),
    ):
        assert "d00" not in answer.context_ids
