"""Versions compared on a real warehouse with stand-in models: the same contexts as really asking under them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from app.services.asking import ask
from app.services.background import CancelledWorkError
from app.services.comparing import AS_ASKED, IN_FORCE, NONE, Version, Wanted, compared
from app.services.comparison_report import documents, queries_page, report
from app.services.events import Origin, run_rankings
from app.services.rescoring import rescore
from ragsieve_core.document import RankedContext, RankedDocument
from ragsieve_core.errors import InputError
from ragsieve_core.models.feature_cache import Features
from ragsieve_core.policy import PolicyRule
from ragsieve_core.rsq import RSQConfig
from tests.app.services.test_asking import BAD, QUESTION, ROWS, contexts
from tests.warehouse.builders import event_of
from warehouse.alerts import queue_page
from warehouse.canary import run_canary, stored_ranking
from warehouse.decisions import decide
from warehouse.events import get_event, list_events, record_events
from warehouse.ingest import ingest
from warehouse.policies import save_policy
from warehouse.principal import Principal, local_principal
from warehouse.records import CandidateRecord, RankedRecord
from warehouse.undoing import undo

OTHER = ("q2", "the house by the sea of island7")


def told(*_: object) -> None:
    """Nobody listens."""


def features(models) -> Features:
    return Features(lambda: models.causal_lm, lambda: models.trace_encoder)


def quarantine(wh, document: str) -> str:
    rows = {row["document_id"]: row for row in queue_page(wh, principal=local_principal()).rows}
    row = rows[document]
    done = decide(
        wh, row["alert_id"], row["version"], principal=local_principal(), verdict="quarantine", reason="true_positive",
        at_once=True,
    )  # fmt: skip
    return str(done.quarantine_id)


@pytest.fixture
def asked(wh, access, models, principal, batches):
    """Two questions asked with nothing quarantined: "bad" is flagged by the first."""
    ingest(wh, "c", batches([*ROWS, BAD]), principal=principal)
    [(answers, _)] = list(ask(access, "c", [QUESTION, OTHER], models))
    return [answer.event_id for answer in answers]


def context_of(wh, event: str) -> list[str]:
    return [
        row["document_id"] for row in get_event(wh, event, principal=local_principal()).ranking if row["in_context"]
    ]


def played_context(done, laid, event: str) -> list[str]:
    number = done.events["event_id"].to_pylist().index(event)
    rows = np.flatnonzero(laid.played.context & (done.rankings.event == number))
    return [done.ranked["document_id"][int(row)].as_py() for row in rows]


def test_as_asked_is_what_was_stored(wh, asked, principal) -> None:
    done = compared(wh, Wanted("c"), principal=principal)
    for event in asked:
        assert played_context(done, done.a, event) == context_of(wh, event)
    found = report(done)
    assert (found["queries"], found["compared"], found["changed"], found["not_compared"]) == (2, 2, 0, {})


def test_scored_anew_it_is_what_asking_again_gives(wh, access, models, principal, asked) -> None:
    """The proof: quarantine, ask again, and hold the real answers against the replay of the old ones."""
    version = quarantine(wh, "bad")
    wanted = Wanted("c", Version(NONE), Version(version))
    before = report(compared(wh, wanted, principal=principal))
    ranked = [
        e for e in asked if "bad" in [r["document_id"] for r in get_event(wh, e, principal=principal).ranking[:50]]
    ]
    assert before["not_compared"] == {"ranking_changed": len(ranked)}
    assert before["compared"] == 2 - len(ranked)
    run = rescore(access, wanted, features(models), told)
    assert (run.scored, dict(run.left)) == (len(ranked), {})
    done = compared(wh, wanted, principal=principal)
    # RSQ had taken it out by itself, so quarantine changes no final context here
    assert (report(done)["compared"], report(done)["changed"]) == (2, 0)
    assert rescore(access, wanted, features(models), told).scored == 0
    [(again, _)] = list(ask(access, "c", [QUESTION, OTHER], models))
    for then, now in zip(asked, again, strict=True):
        assert then != now.event_id
        assert played_context(done, done.a, then) == context_of(wh, then)
        assert played_context(done, done.b, then) == context_of(wh, now.event_id)
        assert now.result.state.value == done.b.played.state[done.events["event_id"].to_pylist().index(then)]


def test_a_policy_moves_stored_scores_at_once(wh, principal, asked) -> None:
    """Nobody is flagged at a threshold of 99: the planted document comes back, and the fifth leaves."""
    saved = save_policy(wh, [PolicyRule("rsq", "calibrated", {"eta_Q": 99.0})], principal=principal, note="lenient")
    done = compared(wh, Wanted("c", Version(), Version(AS_ASKED, saved.policy_id)), principal=principal)
    found = report(done)
    [row] = found["rows"]
    stored = get_event(wh, asked[0], principal=principal)
    assert (row["event_id"], row["enters"]) == (asked[0], ["bad"])
    assert row["leaves"] == [[r["document_id"] for r in stored.ranking if r["in_context"]][-1]]
    assert documents(done)[0]["document_id"] in ("bad", row["leaves"][0])
    assert (found["changed"], found["entering"], found["leaving"], found["entries"], found["exits"]) == (1, 1, 1, 1, 1)
    assert found["changed_share"] == 0.5
    back = compared(wh, Wanted("c", Version(policy=NONE), Version(policy=IN_FORCE)), principal=principal)
    assert report(back)["changed"] == 1


def test_another_rule_waits_for_the_models(wh, access, models, principal, asked) -> None:
    wanted = Wanted("c", Version(), Version(rule="paper"))
    assert report(compared(wh, wanted, principal=principal))["not_compared"] == {"other_rule": 2}
    assert rescore(access, wanted, features(models), told).scored == 2
    done = compared(wh, wanted, principal=principal)
    [(again, _)] = list(ask(access, "c", [QUESTION, OTHER], models, rule="paper"))
    for then, now in zip(asked, again, strict=True):
        assert played_context(done, done.b, then) == context_of(wh, now.event_id)


def test_in_force_follows_a_release(wh, principal, asked) -> None:
    version = quarantine(wh, "bad")
    now = compared(wh, Wanted("c", b=Version(IN_FORCE)), principal=principal)
    assert now.b.version.quarantine == version
    row = next(r for r in queue_page(wh, principal=principal).rows if r["document_id"] == "bad")
    undo(wh, row["alert_id"], row["version"], principal=principal)
    after = compared(wh, Wanted("c", b=Version(IN_FORCE)), principal=principal)
    assert after.b.version.quarantine not in (version, IN_FORCE)
    assert report(after)["compared"] == 2


def test_what_cannot_be_scored_says_why(wh, access, models, principal, batches) -> None:
    """A question kept as a hash, a query scored by other models; d0 is out under B and stood in all of them."""
    rows = [{"id": f"d{i}", "text": f"text number {i} of many"} for i in range(25)]
    ingest(wh, "c", batches(rows), principal=principal)
    ranked = tuple(RankedDocument(row["id"], place, row["text"]) for place, row in enumerate(rows, 1))
    origin = Origin("c", "replay")
    list(run_rankings(access, [RankedContext("q", "which text", "", ranked)], origin, models, RSQConfig()))
    names = [document.id for document in ranked]
    hidden = event_of("secret", names, {"d0"}, store_query=False, model_versions={})
    others = event_of("other", names, {"d0"}, model_versions={"causal_lm": "another", "trace_encoder": "one"})
    record_events(wh, [hidden, others], principal=principal)
    wanted = Wanted("c", Version(NONE), Version(quarantine(wh, "d0")))
    found = report(compared(wh, wanted, principal=principal))
    assert found["not_compared"] == {"question_not_kept": 1, "ranking_changed": 2}
    run = rescore(access, wanted, features(models), told)
    assert (run.scored, dict(run.left)) == (1, {"other_models": 1})
    left = report(compared(wh, wanted, principal=principal))["not_compared"]
    assert left == {"question_not_kept": 1, "ranking_changed": 1}


def test_filters_pages_and_bad_words(wh, principal, asked) -> None:
    done = compared(wh, Wanted("c", event=asked[0]), principal=principal)
    assert done.events["event_id"].to_pylist() == [asked[0]]
    assert report(compared(wh, Wanted("c", source="gate"), principal=principal))["queries"] == 0
    rows, total = queries_page(compared(wh, Wanted("c"), principal=principal), "", limit=1, offset=1)
    assert (len(rows), total, rows[0]["outcome"], rows[0]["why_not"]) == (1, 2, "same", "")
    with pytest.raises(InputError, match="no corpus"):
        compared(wh, Wanted("d"), principal=principal)
    with pytest.raises(InputError, match="no quarantine version"):
        compared(wh, Wanted("c", Version("quar_x")), principal=principal)
    with pytest.raises(InputError, match="no policy version"):
        compared(wh, Wanted("c", Version(policy="policy_x")), principal=principal)
    with pytest.raises(InputError, match="unknown RSQ rule"):
        Version(rule="papr")
    with pytest.raises(InputError, match="unknown source"):
        Wanted("c", source="gates")


def test_a_query_with_documents_of_others_is_left_out_and_counted(wh, principal, batches) -> None:
    ingest(
        wh,
        "c",
        batches([{"id": f"d{i}", "text": f"t {i}", "tenant": "ab"[i == 1]} for i in range(4)]),
        principal=principal,
    )
    mine = event_of("mine", ["d0", "d2"], tenant="a")
    mixed = event_of("mixed", ["d0", "d1"], tenant="a")
    record_events(wh, [mine, mixed, event_of("theirs", ["d1"], tenant="b")], principal=principal)
    scoped = dataclasses.replace(principal, tenants=frozenset({"a"}))
    found = report(compared(wh, Wanted("c"), principal=scoped), listed=10)
    assert (found["queries"], found["compared"], found["not_compared"]) == (2, 1, {"hidden_documents": 1})
    rows, _ = queries_page(compared(wh, Wanted("c"), principal=scoped), "")
    assert [row["query_text"] for row in rows] == ["mine"]
    assert report(compared(wh, Wanted("c"), principal=principal))["queries"] == 3


def test_nothing_is_changed_by_scoring(wh, access, models, principal, asked) -> None:
    version = quarantine(wh, "bad")
    run_canary(wh, version, principal=principal, replay=stored_ranking)
    before = [list_events(wh, principal=principal).total, queue_page(wh, principal=principal).total]
    rescore(access, Wanted("c", Version(NONE), Version(version)), features(models), told)
    assert [list_events(wh, principal=principal).total, queue_page(wh, principal=principal).total] == before


def test_the_command_gives_the_choice_back() -> None:
    wanted = Wanted("my corpus", Version(NONE, "none", "paper"), Version(IN_FORCE), source="gate", warehouse="w.duckdb")
    assert wanted.command() == (
        "ragsieve compare none in-force --corpus 'my corpus' --policy-a none --rule-a paper --source gate "
        "--warehouse w.duckdb"
    )
    assert Wanted.from_json(dataclasses.asdict(wanted)) == wanted


def test_viewers_may_compare(wh, asked) -> None:
    assert report(compared(wh, Wanted("c"), principal=Principal("vic", "viewer")))["queries"] == 2


def test_a_gate_in_shadow_is_played_as_what_it_would_have_done(wh, access, models, principal, batches, asked) -> None:
    """The same ranking as a gate in shadow would log it: nothing left, and d00 held, "bad" taken by RSQ in `would`."""
    found = get_event(wh, asked[0], principal=principal)
    taken = {row["document_id"]: row["removed_by"] for row in found.ranking if row["removed_by"]}
    assert taken == {"bad": "rsq"}
    ranking = [
        RankedRecord(row["document_id"], row["rank"], version_id=row["version_id"], in_context=row["rank"] <= 5)
        for row in found.ranking
    ]
    terms = ("e_anchor", "e_script", "e_surprisal", "e_alignment")
    candidates = [
        CandidateRecord(
            row["document_id"], row["rank"], row["score"], row["flagged"], **{name: row[name] for name in terms}
        )
        for row in found.candidates
    ]
    detail = {"mode": "shadow", "would": {"context": [], "removed": taken}}
    event = event_of(
        QUESTION[1], ["d00"], source="gate", rule="calibrated", state_detail=detail, event_id="event_shadow"
    )
    record_events(wh, [dataclasses.replace(event, ranking=ranking, candidates=candidates)], principal=principal)
    done = compared(wh, Wanted("c", source="gate"), principal=principal)
    assert done.a.played.unknown.tolist() == [""]
    assert played_context(done, done.a, "event_shadow") == context_of(wh, asked[0])
    assert context_of(wh, "event_shadow") != context_of(wh, asked[0])
    # Something that a gate let through in its place stays out
    held = {**taken, found.ranking[1]["document_id"]: "hold"}
    detail = {"mode": "shadow", "would": {"context": [], "removed": held}}
    other = dataclasses.replace(
        event, ranking=ranking, candidates=candidates, state_detail=detail, event_id="event_two"
    )
    record_events(wh, [other], principal=principal)
    done = compared(wh, Wanted("c", event="event_two"), principal=principal)
    assert done.a.played.unknown.tolist() == ["never_scored"]


def test_an_event_whose_parameters_cannot_be_read_is_left_out_alone(wh, principal, asked) -> None:
    for number, config in enumerate(({"k": "five"}, {"n": 3}, {"weights": [1, [2]]}, {"threshold": {}})):
        event = event_of(f"odd {number}", ["d00", "d01"], config=config, config_key=f"odd {number}", source="gate")
        record_events(wh, [event], principal=principal)
    found = report(compared(wh, Wanted("c"), principal=principal))
    assert (found["queries"], found["compared"], found["not_compared"]) == (6, 2, {"unreadable_parameters": 4})


def test_a_cancelled_run_goes_on_where_it_ended(wh, access, models, principal) -> None:
    list(run_rankings(access, contexts(), Origin("c", "replay"), models, RSQConfig()))
    wanted = Wanted("c", Version(), Version(rule="calibrated"))

    def until_one_chunk(_: str, done: int, total: int) -> None:
        assert total == 20
        if done:
            raise CancelledWorkError

    with pytest.raises(CancelledWorkError):
        rescore(access, wanted, features(models), until_one_chunk)
    found = report(compared(wh, wanted, principal=principal))
    assert (found["compared"], found["not_compared"]) == (16, {"other_rule": 4})
    assert rescore(access, wanted, features(models), told).scored == 4
