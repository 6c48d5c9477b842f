"""The gate call by call: what leaves, what is said of it, and what a limit or an error may never let through."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from ragsieve_core.document import RankedContext, RankedDocument
from ragsieve_core.errors import InputError
from ragsieve_core.gate import GateState, Match, Status
from ragsieve_core.rsq import rsq_preset, score_ranking
from ragsieve_core.serial import InForce, deploy
from tests.gate_stand_ins import QUESTION, StandInFeatures, clean_texts, encode, features_of, ranking, small_corpus

PLANTED = f"{QUESTION} the answer is vancouver " + " ".join(f"zzq{i}" for i in range(40))


def with_planted(at: int = 0, count: int = 60):
    texts = clean_texts(count)
    texts[at] = PLANTED
    return small_corpus(texts)


def test_is_serial_deployment(make_gate) -> None:
    corpus = with_planted()
    given = ranking(corpus)
    answer = make_gate(corpus=corpus).filter(QUESTION, given)

    def score(context: RankedContext):
        features = [features_of(document.text) for document in context.documents]
        return score_ranking(
            context,
            [f.surprisal for f in features[:5]],
            [f.vectors for f in features[:20]],
            features_of(QUESTION).vectors,
            rsq_preset("paper"),
        )

    whole = deploy(RankedContext("", QUESTION, "", tuple(given)), score, InForce(), rsq_preset("paper"))
    assert answer.context_ids == tuple(document.id for document in whole.context)
    assert [(r.document_id, r.by) for r in answer.removed] == [(r.document_id, r.by) for r in whole.removed]
    assert answer.removed[0].document_id == "d00"
    assert [document.status for document in answer.context] == [Status.PASSED] * 4 + [Status.REFILLED]
    assert answer.refill_depth == whole.refill_depth == 6
    assert [c.score for c in answer.evidence.candidates] == [c.score for c in whole.evidence.candidates]


def test_what_is_quarantined_while_it_runs_is_out_of_the_next_answer(make_gate, corpus, publisher) -> None:
    gate = make_gate()
    before = gate.filter(QUESTION, ranking(corpus))
    assert "d01" in before.context_ids
    publisher.publish(quarantined=[("harbour", "d01"), ("other corpus", "d02")])
    after = gate.filter(QUESTION, ranking(corpus))
    assert "d01" not in after.context_ids
    assert "d02" in after.context_ids
    assert [(r.document_id, r.by, r.original_rank) for r in after.removed] == [("d01", "quarantine", 2)]
    assert before.in_force != after.in_force
    publisher.publish()
    assert gate.filter(QUESTION, ranking(corpus)).context_ids == before.context_ids


def test_own_retrieval_gives_no_place_to_what_is_out_and_says_where_it_stood(make_gate, corpus, publisher) -> None:
    gate = make_gate()
    plain = gate.retrieve(QUESTION)
    cosines = {
        name: float(encode(QUESTION) @ encode(text)) for name, text in zip(corpus.ids, corpus.texts, strict=True)
    }
    best = sorted(cosines, key=lambda name: (-round(cosines[name], 6), name))
    assert plain.documents == 60
    assert plain.context_ids == tuple(best[:5])
    publisher.publish(quarantined=[("harbour", best[1])], unadmitted=[("harbour", best[3])])
    answer = gate.retrieve(QUESTION)
    assert answer.context_ids == (best[0], best[2], best[4], best[5], best[6])
    assert [(r.document_id, r.by, r.original_rank) for r in answer.removed] == [(best[1], "quarantine", 2)]
    assert answer.documents == 59  # unadmitted documents leave inside the search and are not even counted


def test_a_hold_ends_by_itself(make_gate, corpus, publisher, monkeypatch) -> None:
    class Later(datetime):
        @classmethod
        def now(cls, tz=None):
            return super().now(tz) + timedelta(hours=1)

    publisher.publish(held=[("harbour", "d00", datetime.now(UTC) + timedelta(hours=1))])
    gate = make_gate()
    first = gate.filter(QUESTION, ranking(corpus))
    assert [(r.document_id, r.by) for r in first.removed] == [("d00", "hold")]
    assert "d00" not in gate.retrieve(QUESTION).context_ids
    monkeypatch.setattr("ragsieve_core.gate.gate.datetime", Later)
    assert gate.filter(QUESTION, ranking(corpus)).removed == ()


def test_shadow_changes_nothing_and_says_what_it_would_do(make_gate, publisher, sink) -> None:
    corpus = with_planted(at=1)
    publisher.publish(quarantined=[("harbour", "d00")])
    given = ranking(corpus)
    shadow, enforced = (make_gate(corpus=corpus, mode=mode).filter(QUESTION, given) for mode in ("shadow", "enforce"))
    assert shadow.context_ids == tuple(document.id for document in given[:5])
    assert [document.text for document in shadow.context] == [document.text for document in given[:5]]
    assert shadow.removed == ()
    assert shadow.would.context == enforced.context
    assert shadow.would.removed == enforced.removed
    assert [r.by for r in enforced.removed] == ["quarantine", "rsq"]
    assert shadow.context[0].status is Status.NOT_CHECKED
    own = make_gate(corpus=corpus, mode="shadow").retrieve(QUESTION)
    publisher.publish()
    assert make_gate(corpus=corpus, mode="shadow").retrieve(QUESTION).context_ids == own.context_ids
    assert [event.answer.event_id for event in sink.events][:2] == [shadow.event_id, enforced.event_id]


def test_fifty_new_documents_of_maximal_length_get_none_unscored_into_the_context(make_gate) -> None:
    texts = clean_texts(60)
    corpus = small_corpus(texts)
    features = StandInFeatures(slow=0.06)
    features.heat(texts)
    new = [RankedDocument(f"new{i}", i + 1, f"{QUESTION} {i} " + "flood " * 16_000, None, 0.99) for i in range(50)]
    assert max(len(document.text) for document in new) < 100_000
    given = [*new, *ranking(corpus)]
    answer = make_gate(corpus=corpus, features=features, budget_ms=200).filter(QUESTION, given)
    assert answer.state is GateState.PARTLY_UNSCORED
    assert answer.reason == "time_limit"
    computed = {document.id for document in new if document.text in features.warm}
    assert 0 < len(computed) < 6
    assert len(answer.context) == 5
    assert all(d.status in (Status.PASSED, Status.REFILLED) for d in answer.context)
    assert {d.document_id for d in answer.context if d.document_id.startswith("new")} <= computed
    assert all(r.detail == "time_limit" for r in answer.removed if r.by == "unscored")
    late = make_gate(corpus=corpus, features=StandInFeatures(slow=9), budget_ms=50).filter(QUESTION, given)
    assert (late.state, late.context) == (GateState.UNSCORED, ())


def test_pass_marks_what_it_lets_through(make_gate, publisher) -> None:
    texts = clean_texts(60)
    corpus = small_corpus(texts)
    publisher.publish(quarantined=[("harbour", "d05")])
    features = StandInFeatures(slow=9)
    features.heat(texts[2:])
    gate = make_gate(corpus=corpus, features=features, budget_ms=60, unscored="pass")
    answer = gate.filter(QUESTION, ranking(corpus))
    assert answer.context_ids == ("d00", "d01", "d02", "d03", "d04")
    assert [d.status for d in answer.context] == [Status.UNSCORED] * 2 + [Status.PASSED] * 3
    assert answer.state is GateState.PARTLY_UNSCORED
    features.warm.clear()
    none = gate.filter(QUESTION, ranking(corpus))
    assert none.state is GateState.UNSCORED
    assert {d.status for d in none.context} == {Status.UNSCORED}
    assert none.context_ids == ("d00", "d01", "d02", "d03", "d04")
    assert [r.by for r in none.removed] == ["quarantine"]


@pytest.mark.parametrize("broken", ["query", "note"])
def test_a_model_that_fails_follows_the_policy_and_is_counted(make_gate, corpus, publisher, broken) -> None:
    publisher.publish(quarantined=[("harbour", "d00")])
    withheld = make_gate(features=StandInFeatures(broken=broken))
    answer = withheld.filter(QUESTION, ranking(corpus))
    assert (answer.state, answer.reason, answer.context) == (GateState.UNSCORED, "error", ())
    assert withheld.counters.read()[""].errors >= 1
    passing = make_gate(features=StandInFeatures(broken=broken), unscored="pass").filter(QUESTION, ranking(corpus))
    assert passing.context_ids == ("d01", "d02", "d03", "d04", "d05")
    assert {d.status for d in passing.context} == {Status.UNSCORED}
    assert [(r.document_id, r.by) for r in passing.removed] == [("d00", "quarantine")]


def test_an_error_of_the_scoring_itself_follows_the_policy(make_gate, corpus) -> None:
    gate = make_gate()

    def fails(*_, **__):
        raise ZeroDivisionError

    gate._score = fails
    answer = gate.filter(QUESTION, ranking(corpus))
    assert (answer.state, answer.reason, answer.context) == (GateState.UNSCORED, "error", ())
    assert gate.counters.read()[""].errors == 1


def test_too_few_survivors_are_answered_and_counted(make_gate, corpus, publisher) -> None:
    publisher.publish(quarantined=[("harbour", "d03")])
    gate = make_gate()
    answer = gate.filter(QUESTION, ranking(corpus, range(20)))
    assert answer.state is GateState.TAIL_TOO_SHORT
    assert answer.context_ids == ("d00", "d01", "d02", "d04", "d05")
    assert {d.status for d in answer.context} == {Status.NOT_APPLIED}
    assert answer.evidence is None
    assert gate.counters.read()[""].states == {"tail_too_short": 1}
    assert make_gate(too_short="withhold").filter(QUESTION, ranking(corpus, range(20))).context == ()
    assert gate.filter(QUESTION, []).state is GateState.EMPTY


def test_a_users_own_short_ranking_is_scored_by_the_calibrated_rule_and_says_so(make_gate, publisher) -> None:
    corpus = with_planted(count=60)
    gate = make_gate(corpus=corpus, rule="calibrated")
    for documents in (20, 35, 49):
        answer = gate.filter(QUESTION, ranking(corpus, range(documents)))
        assert (answer.state, answer.tail_short) == (GateState.OK, True)
        assert [(r.document_id, r.by) for r in answer.removed] == [("d00", "rsq")]
        assert len(answer.evidence.tail_ids) == documents - 10
        assert answer.shown()["tail_short"] is True
    assert gate.filter(QUESTION, ranking(corpus)).tail_short is False
    short = gate.filter(QUESTION, ranking(corpus, range(19)))
    assert (short.state, short.evidence) == (GateState.TAIL_TOO_SHORT, None)
    publisher.publish(quarantined=[("harbour", "d07")])
    assert gate.filter(QUESTION, ranking(corpus, range(20))).state is GateState.TAIL_TOO_SHORT
    assert gate.filter(QUESTION, ranking(corpus, range(21))).state is GateState.OK


@pytest.mark.parametrize("rule", ["paper", "calibrated"])
def test_surprisal_is_asked_for_candidates_alone_and_for_those_who_take_the_place_of_unfit_ones(
    make_gate, corpus, features, rule
) -> None:
    gate = make_gate(rule=rule)
    gate.filter(QUESTION, [RankedDocument("blank", 1, " "), *ranking(corpus)])
    n = rsq_preset(rule).n
    assert features.asked == [(tuple(corpus.texts[:n]), frozenset(corpus.texts[:5]))]
    features.asked.clear()
    features.warm.clear()
    features.broken = "note 2 "
    answer = gate.filter(QUESTION, ranking(corpus))
    assert answer.context_ids == ("d00", "d01", "d03", "d04", "d05")
    assert [c.document_id for c in answer.evidence.candidates] == ["d00", "d01", "d03", "d04", "d05"]
    assert [(r.document_id, r.by, r.detail) for r in answer.removed] == [("d02", "unscored", "error")]
    assert features.asked[1] == (
        (corpus.texts[5], corpus.texts[n]),
        frozenset(corpus.texts[i] for i in (0, 1, 3, 4, 5)),
    )


def test_a_candidate_without_surprisal_in_time_is_withheld_and_never_one_of_the_tail(
    make_gate, corpus, features
) -> None:
    features.heat(corpus.texts)
    features.slow = 9
    features.vectors_only = {corpus.texts[1], *corpus.texts[12:]}
    answer = make_gate(budget_ms=60).filter(QUESTION, ranking(corpus))
    assert answer.context_ids == ("d00", "d02", "d03", "d04", "d05")
    assert [(r.document_id, r.detail) for r in answer.removed] == [("d01", "time_limit")]
    assert "d01" not in answer.evidence.tail_ids
    assert "d13" in answer.evidence.tail_ids
    features.vectors_only |= set(corpus.texts[3:])
    few = make_gate(budget_ms=60).filter(QUESTION, ranking(corpus))
    assert (few.state, few.context) == (GateState.UNSCORED, ())


def test_thresholds_in_force_apply_to_the_next_call_by_corpus_and_retriever(make_gate, publisher, sink) -> None:
    corpus = with_planted()
    gate = make_gate(corpus=corpus)

    def removed(answer) -> list[str]:
        return [r.document_id for r in answer.removed]

    def moved(**slice_: str) -> list[dict]:
        return [{"detector": "rsq", "rule": "paper", "moves": {"eta_Q": 99.0}, "corpus": "", "encoder": "", **slice_}]

    first = gate.filter(QUESTION, ranking(corpus))
    assert (removed(first), first.policy, first.settings["threshold"]) == (["d00"], "", 1.0)
    publisher.publish(policy=moved(corpus="harbour"))
    answer = gate.filter(QUESTION, ranking(corpus))
    assert (removed(answer), answer.policy, answer.settings["threshold"]) == ([], "policy_2", 99.0)
    assert sink.events[-1].rsq.threshold == 99.0
    publisher.publish(policy=moved(corpus="another"))
    assert removed(gate.filter(QUESTION, ranking(corpus))) == ["d00"]
    publisher.publish(policy=moved(encoder="test:bag"))
    assert removed(gate.filter(QUESTION, ranking(corpus))) == ["d00"]  # the caller's retriever is not known
    assert gate.retrieve(QUESTION).settings["threshold"] == 99.0
    publisher.publish()
    assert gate.retrieve(QUESTION).settings["threshold"] == 1.0


def test_unknown_and_changed_documents_are_marked_and_scored_on_the_text_given(make_gate, corpus) -> None:
    given = ranking(corpus)
    given[0] = RankedDocument("d00", 1, PLANTED)
    given[1] = RankedDocument("stranger", 2, "a new note on harbour festival word1 word2 word3")
    answer = make_gate().filter(QUESTION, given)
    assert (answer.changed, answer.unknown) == (("d00",), ("stranger",))
    assert [(r.document_id, r.by) for r in answer.removed] == [("d00", "rsq")]
    assert {d.document_id: d.match for d in answer.context}["stranger"] is Match.UNKNOWN
    kept_out = make_gate(unknown="withhold", changed="withhold").filter(QUESTION, given)
    assert [(r.document_id, r.by) for r in kept_out.removed] == [("d00", "changed"), ("stranger", "unknown")]


def test_a_new_id_or_a_changed_letter_does_not_free_a_quarantined_text(make_gate, corpus, publisher) -> None:
    publisher.publish(quarantined=[("harbour", "d00")])
    given = [RankedDocument("renamed", 1, corpus.texts[0]), *ranking(corpus)]
    given[1] = RankedDocument("d00", 2, corpus.texts[0] + "!")
    removed = make_gate().filter(QUESTION, given).removed
    assert [(r.document_id, r.by, r.detail) for r in removed] == [
        ("renamed", "quarantine", "the same text as d00"),
        ("d00", "quarantine", "in the quarantine in force"),
    ]


def test_a_body_without_its_title_line_is_the_same_document(make_gate) -> None:
    texts = clean_texts(30)
    texts[0] = f"Harbour notes\n\n{texts[0]}"
    corpus = small_corpus(texts)
    given = ranking(corpus)
    given[0] = RankedDocument("d00", 1, texts[0].partition("\n\n")[2])
    assert make_gate(corpus=corpus).filter(QUESTION, given).changed == ()


def test_superseded_documents_are_never_retrieved_and_marked_when_given(make_gate) -> None:
    corpus = small_corpus(clean_texts(60), superseded={"d07"})
    answer = make_gate(corpus=corpus).retrieve(QUESTION)
    assert answer.documents == 59
    given = make_gate(corpus=corpus).filter(QUESTION, ranking(corpus))
    assert given.changed == ("d07",)


def test_access_lists_hide_inside_the_search(make_gate) -> None:
    acls = [["staff"] if i % 2 else [] for i in range(60)]
    gate = make_gate(corpus=small_corpus(clean_texts(60), acls=acls))
    assert gate.retrieve(QUESTION).documents == 30
    assert gate.retrieve(QUESTION, ["staff", "other"]).documents == 60
    with pytest.raises(InputError, match="one string"):
        gate.retrieve(QUESTION, "staff")


def test_without_a_publication_nothing_is_answered_unless_declared(make_gate, corpus, publisher) -> None:
    (publisher.folder / "current").unlink()
    refused = make_gate().filter(QUESTION, ranking(corpus))
    assert (refused.state, refused.reason, refused.context) == (GateState.NOT_IN_FORCE, "missing", ())
    assert make_gate(missing="open").filter(QUESTION, ranking(corpus)).state is GateState.OK


def test_texts_too_long_or_empty_are_unscored(make_gate, corpus) -> None:
    given = [RankedDocument("long", 1, "word " * 30_000), RankedDocument("blank", 2, " \n"), *ranking(corpus)]
    answer = make_gate().filter(QUESTION, given)
    assert [(r.document_id, r.detail) for r in answer.removed] == [("long", "too_long"), ("blank", "no_text")]
    assert answer.state is GateState.PARTLY_UNSCORED


def test_many_threads_get_the_same_answers(make_gate, corpus) -> None:
    gate = make_gate()
    expected = gate.retrieve(QUESTION).context_ids
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: gate.retrieve(QUESTION), range(80)))
    assert {answer.context_ids for answer in found} == {expected}
    assert len({answer.event_id for answer in found}) == 80
    assert gate.counters.read()[""].calls == 81


def test_async_calls_do_not_block_the_loop(make_gate, corpus) -> None:
    gate = make_gate(features=StandInFeatures(slow=0.02))

    async def both() -> tuple:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticking = asyncio.create_task(tick())
        answers = await asyncio.gather(gate.afilter(QUESTION, ranking(corpus)), gate.aretrieve(QUESTION))
        ticking.cancel()
        return answers, ticks

    (filtered, retrieved), ticks = asyncio.run(both())
    assert len(filtered.context) == len(retrieved.context) == 5
    assert ticks >= 5


@pytest.mark.parametrize(
    ("query", "given", "message"),
    [
        ("  ", [], "query is empty"),
        ("q", [RankedDocument("a", 1, "x"), RankedDocument("a", 2, "y")], "ranked twice"),
        ("q", [RankedDocument("", 1, "x")], "without id or text"),
        ("q", [RankedDocument(f"x{i}", i, "t") for i in range(1001)], "at most 1,000"),
    ],
)
def test_bad_calls_are_named(make_gate, query, given, message) -> None:
    with pytest.raises(InputError, match=message):
        make_gate().filter(query, given)


def test_answers_are_recorded_once(make_gate, corpus, sink) -> None:
    gate = make_gate()
    call = gate.filter(QUESTION, ranking(corpus), tenant="default")
    first = gate.record_answer(call.event_id, "a1", ["d01", "d01", "d02"], tenant="default")
    assert (first.state, first.cited) == ("recorded", ("d01", "d02"))
    assert gate.record_answer(call.event_id, "a1", ["d02", "d01"], tenant="default").state == "known"
    assert [(a.answer_id, a.cited) for a in sink.answers] == [("a1", ("d01", "d02"))]
    for cited, tenant, message in (
        (["d50"], "default", "was not in the context"),
        (["d01"], "other", "no call"),
        ([], "default", "other citations"),
    ):
        with pytest.raises(InputError, match=message):
            gate.record_answer(call.event_id, "a1" if not cited else "a2", cited, tenant=tenant)
    assert gate.record_answer("gate_of_yesterday", "a1", ["d01"]).state == "unchecked"


def test_sampled_log_keeps_what_matters(make_gate, corpus, publisher, sink) -> None:
    gate = make_gate(log="sampled", sample=0.0)
    gate.filter(QUESTION, ranking(corpus))
    assert sink.events == []
    publisher.publish(quarantined=[("harbour", "d01")])
    gate.filter(QUESTION, ranking(corpus))
    gate.filter(QUESTION, ranking(corpus, range(5)))
    assert [event.answer.state.value for event in sink.events] == ["ok", "tail_too_short"]
    make_gate(log="off").filter(QUESTION, ranking(corpus))
    assert len(sink.events) == 2


def test_vectors_of_another_encoder_are_refused_at_the_start(make_gate) -> None:
    corpus = small_corpus(clean_texts(3))
    corpus.encoder = "another"
    with pytest.raises(InputError, match="encoder 'another'"):
        make_gate(corpus=corpus)
    assert np.isfinite(encode("x")).all()
