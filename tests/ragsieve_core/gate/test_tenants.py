"""What one tenant can see of another's documents in the gate's answers: nothing."""

import json
import time
from collections.abc import Sequence

import pytest

from app.services.gate_features import TenantFeatures
from ragsieve_core.document import RankedDocument
from ragsieve_core.gate import Caller
from ragsieve_core.models.feature_cache import DiskTier, Features
from ragsieve_core.rsq import DocumentFrequencies, rsq_preset
from tests.gate_stand_ins import QUESTION, StandInFeatures, clean_texts, features_of, ranking, small_corpus


class SlowModels:
    """Both models; ``seconds`` for each text, which a question is exempt from."""

    key = "test:slow"

    def __init__(self) -> None:
        self.seconds = 0.0

    def surprisal(self, texts: Sequence[str], *, progress: object = None) -> list:
        self._wait(texts)
        return [features_of(text).surprisal for text in texts]

    def token_vectors(self, texts: Sequence[str], *, max_tokens: int, progress: object = None) -> list:
        if max_tokens > 64:
            self._wait(texts)
        return [features_of(text).vectors for text in texts]

    def _wait(self, texts: Sequence[str]) -> None:
        end = time.monotonic() + self.seconds * len(texts)
        while time.monotonic() < end and self.seconds:
            time.sleep(0.01)


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
    assert not sources["a"].peek([d.text for d in given], frozenset()).vectors


def test_a_document_that_moved_to_another_tenant_stays_quarantined(make_gate, publisher) -> None:
    """The caller sees it, so what is in force on its id concerns the caller."""
    alone, _ = two_corpora()
    publisher.publish(quarantined=[("harbour", "d00")], tenants=[("harbour", "d00", "b")])
    for answer in (
        make_gate(corpus=alone).retrieve(QUESTION, tenant="a"),
        make_gate(corpus=alone).filter(QUESTION, ranking(alone), tenant="a"),
    ):
        assert "d00" not in answer.context_ids


def test_timing_says_nothing_of_texts_of_others_with_the_cache_shared_on_disk(make_gate, tmp_path) -> None:
    """Every text of b is warm in the cache that all share; for a caller of a it is cold, its own documents are warm."""
    _, mixed = two_corpora()
    slow = SlowModels()
    shared = Features(slow, slow, disk=DiskTier(tmp_path / "features"))
    shared.get(mixed.texts)
    sources = TenantFeatures(shared, lambda: slow, lambda: slow, rsq_preset("paper"))
    slow.seconds = 9.0
    for tenant in ("a", None):
        sources(tenant).query(QUESTION, 5)
    gate = make_gate(corpus=mixed, features=sources, budget_ms=80)
    own = [document for document in ranking(mixed) if document.id.startswith("d")]
    given = [RankedDocument(f"x{i}", i + 1, f"{QUESTION} secret {i}") for i in range(20)]
    under_their_ids = [RankedDocument(f"b{i:02d}", i + 1, f"{QUESTION} secret {i}") for i in range(20)]
    assert gate.filter(QUESTION, own, tenant="a").state.value == "ok"
    assert gate.filter(QUESTION, given, tenant="a").state.value == "unscored"
    assert gate.filter(QUESTION, under_their_ids, tenant="a").state.value == "unscored"
    assert gate.filter(QUESTION, given).state.value != "unscored"  # of all tenants: everything is shared
    slow.seconds = 0.0
    sources.close()


@pytest.mark.parametrize("rule", ["paper", "calibrated"])
def test_what_one_tenant_had_computed_is_cold_for_another_even_of_a_text_both_hold(make_gate, tmp_path, rule) -> None:
    texts = clean_texts(60)
    corpus = small_corpus([*texts, *texts], ["a"] * 60 + ["b"] * 60, ids=[f"d{i:03d}" for i in range(120)])
    slow = SlowModels()
    shared = Features(slow, slow, disk=DiskTier(tmp_path / "features"))
    sources = TenantFeatures(shared, lambda: slow, lambda: slow, rsq_preset(rule))
    sources("a").query(QUESTION, 5)
    gate = make_gate(corpus=corpus, features=sources, budget_ms=5000, rule=rule)
    gate.prepare()
    assert gate.filter(QUESTION, ranking(corpus, range(60, 120)), tenant="b").state.value == "ok"
    slow.seconds = 9.0
    late = make_gate(corpus=corpus, features=sources, budget_ms=80, rule=rule)
    assert late.filter(QUESTION, ranking(corpus, range(60)), tenant="a").state.value == "unscored"
    slow.seconds = 0.0
    sources.close()


def test_weights_of_words_are_counted_over_what_the_caller_sees(make_gate) -> None:
    alone, mixed = two_corpora()
    one, other = (corpus.view(Caller("a")).frequencies for corpus in (alone, mixed))
    assert one == other
    assert other.documents == 40
    assert "secret" not in other.holding
    assert mixed.view(Caller()).frequencies.holding["secret"] == 40
    shown = []
    for corpus in (alone, mixed):
        gate = make_gate(corpus=corpus, rule="calibrated")
        shown.append(
            [plain(gate.retrieve(QUESTION, tenant="a")), plain(gate.filter(QUESTION, ranking(alone), tenant="a"))]
        )
    assert shown[0] == shown[1]
    assert json.loads(shown[0][0])["tail_short"] is True


def test_access_lists_hide_words_too() -> None:
    acls = [["staff"] if i % 2 else [] for i in range(40)]
    texts = [f"note {'hush' if i % 2 else 'open'} {i}" for i in range(40)]
    corpus = small_corpus(texts, acls=acls)
    assert "hush" not in corpus.view(Caller()).frequencies.holding
    assert corpus.view(Caller(None, frozenset({"staff"}))).frequencies == DocumentFrequencies.of(texts)
