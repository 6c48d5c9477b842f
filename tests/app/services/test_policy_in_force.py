"""A saved policy takes effect in the next scan and the next question, and goes back."""

from __future__ import annotations

from app.services.asking import ask
from app.services.inbox_access import InboxAccess
from app.services.scanning import scan_corpus
from ragsieve_core.policy import PolicyRule
from tests.app.services.test_asking import BAD, QUESTION, ROWS, one
from warehouse import policies
from warehouse.events import get_event
from warehouse.ingest import ingest
from warehouse.scans import get_scan


def test_the_next_question_is_asked_under_the_policy(wh, access, models, principal, batches) -> None:
    ingest(wh, "c", batches([*ROWS, BAD]), principal=principal)
    before, _ = one(ask(access, "c", [QUESTION], models))
    assert [r.document_id for r in before.result.removed] == ["bad"]
    saved = policies.save_policy(
        wh, [PolicyRule("rsq", "calibrated", {"eta_Q": 50.0}, corpus="c")], principal=principal, note="too many alerts"
    )
    under, _ = one(ask(access, "c", [QUESTION], models))
    assert under.result.removed == ()
    event = get_event(wh, under.event_id, principal=principal).event
    assert event["threshold"] == 50.0
    assert under.event_id != before.event_id
    policies.rollback_policy(wh, "none", principal=principal)
    after, _ = one(ask(access, "c", [QUESTION], models))
    assert [r.document_id for r in after.result.removed] == ["bad"]
    assert policies.get_policy(wh, saved.policy_id, principal=principal).state == "superseded"


def test_the_next_scan_runs_under_the_policy_of_its_slice(wh, access, models, principal, batches) -> None:
    ingest(wh, "c", batches(ROWS), principal=principal)
    plain = scan_corpus(access, "c", models, rule="paper")
    rule = PolicyRule("rsg", "paper", {"density_cut": 0.01, "tau_e": -1.0, "tau_l": 1.0}, "c", models.retriever.key)
    policies.save_policy(wh, [rule], principal=principal)
    under = scan_corpus(access, "c", models, rule="paper")
    assert under.scan != plain.scan
    assert under.flagged > plain.flagged
    config = get_scan(wh, under.scan, principal=principal)["config"]
    assert '"density_cut":0.01' in config
    policies.rollback_policy(wh, "none", principal=principal)
    back = scan_corpus(access, "c", models, rule="paper")
    assert (back.scan, back.already) == (plain.scan, True)


def test_another_process_reads_the_policy_too(wh, access, models, principal, batches) -> None:
    saved = policies.save_policy(wh, [PolicyRule("rsq", "paper", {"eta_Q": 0.7})], principal=principal)
    beside = InboxAccess(wh.path, "query", lambda text: None, 1.0)
    assert beside.published().policy.version == saved.policy_id
    assert access.published().policy == beside.published().policy
