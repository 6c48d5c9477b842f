from __future__ import annotations

import pytest

from ragsieve_core.errors import InputError
from tests.warehouse.desk import ADA, BOB, CY, DEE, OF_B, alerts, fill
from warehouse import audit, sampling
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.errors import PermissionRefusedError, RefusedError
from warehouse.labels import list_labels, record_labels
from warehouse.quality import recall_estimate, record_review_labels, review_quality
from warehouse.records import LabelRecord
from warehouse.refusals import Refusal
from warehouse.sampling import BlindItem, answer_blind, draw_second_looks, draw_unflagged, next_blind, seed_known


def test_without_samples_recall_is_named_not_estimable(wh: Warehouse) -> None:
    fill(wh, 6, flagged=[0, 1])
    found = recall_estimate(wh, "c", principal=ADA)
    assert (found.state, found.recall, found.undecided) == ("no_samples", None, 2)
    assert "cannot be estimated from flagged items" in found.text
    with pytest.raises(PermissionRefusedError):
        recall_estimate(wh, "c", principal=OF_B)


def test_a_draw_is_answered_blind_and_gives_recall(wh: Warehouse) -> None:
    names = fill(wh, 10, flagged=[0, 1])
    for document in ("d0", "d1"):
        decide(wh, names[document], 1, principal=CY, verdict="quarantine", reason="true_positive")
    drawn = draw_unflagged(wh, "c", principal=BOB, rate=1.0, seed=3)
    assert (drawn.population, drawn.drawn) == ({"far": 8, "near": 0}, {"far": 8, "near": 0})
    assert not {"score", "flagged", "kind", "probability", "truth", "stratum"} & set(BlindItem.__dataclass_fields__)
    assert recall_estimate(wh, "c", principal=ADA).state == "no_answers"
    seen = []
    while (item := next_blind(wh, principal=CY)) is not None:
        seen.append(item.document_id)
        answer_blind(wh, item.sample_id, item.document_id == "d5", principal=CY, seconds=2)
    assert sorted(seen) == [f"d{n}" for n in range(2, 10)]
    assert next_blind(wh, principal=DEE) is None
    found = recall_estimate(wh, "c", principal=ADA)
    assert (found.state, found.recall, found.low, found.high) == ("estimated", 2 / 3, 2 / 3, 2 / 3), "a census is exact"
    assert record_review_labels(wh, principal=BOB) == 10
    assert record_review_labels(wh, principal=BOB) == 0
    record_labels(wh, [LabelRecord("c", "d7", True, "fixture", "file")], principal=ADA)
    rows = list_labels(wh, principal=ADA).to_pylist()
    assert {r["sampling_probability"] for r in rows if r["source"].startswith("sample:")} == {1.0}
    assert {r["sampling_probability"] for r in rows if r["source"].startswith("alert:")} == {None}
    assert {r["provenance"] for r in list_labels(wh, principal=ADA, held_out=True).to_pylist()} == {"fixture"}
    assert audit.verify(wh).ok


def test_the_same_seed_draws_the_same(wh: Warehouse) -> None:
    fill(wh, 12, flagged=[0])

    def drawn(seed: int) -> list[str]:
        made = draw_unflagged(wh, "c", principal=BOB, rate=0.3, seed=seed)
        found = wh.cursor().execute(
            "SELECT document_id, probability FROM review_samples WHERE draw_id = ? ORDER BY 1", [made.draw_id]
        )
        rows = found.fetchall()
        assert {p for _, p in rows} == {4 / 11}, "ceil(0.3 · 11) of 11"
        return [name for name, _ in rows]

    assert drawn(1) == drawn(1)


def test_second_looks_and_known_items(wh: Warehouse) -> None:
    names = fill(wh, 6, flagged=[0, 1, 2])
    decide(wh, names["d0"], 1, principal=CY, verdict="quarantine", reason="true_positive")
    decide(wh, names["d1"], 1, principal=CY, verdict="keep", reason="benign")
    draw_second_looks(wh, "c", principal=BOB, rate=1.0, seed=1)
    assert next_blind(wh, principal=CY) is None, "not to who decided"
    seed_known(wh, "c", {"d4": False, "d5": True}, principal=BOB)
    answers = {"d0": True, "d1": True, "d4": False, "d5": False}
    while (item := next_blind(wh, principal=DEE)) is not None:
        answer_blind(wh, item.sample_id, answers[item.document_id], principal=DEE, seconds=1)
        with pytest.raises(RefusedError) as caught:
            answer_blind(wh, item.sample_id, True, principal=DEE, seconds=1)
        assert caught.value.reason == Refusal.ALREADY_ANSWERED
    found = review_quality(wh, principal=BOB)
    assert (found.agreement.n, found.agreement.observed, found.agreement.kappa) == (2, 0.5, 0.0)
    assert found.known == {"dee": (2, 1)}
    assert found.decisions == 2
    assert found.median_hours is not None
    assert 0 <= found.median_hours < 1
    left = next_blind(wh, principal=CY)
    assert left is not None, "known items are given to everybody"
    with pytest.raises(PermissionRefusedError):
        review_quality(wh, principal=CY)
    assert len(alerts(wh)) == 3


def test_what_is_no_draw(wh: Warehouse) -> None:
    fill(wh, 4, flagged=[0])
    for arguments in ({"rate": 2.0}, {"unit": "query"}):
        with pytest.raises(InputError):
            draw_unflagged(wh, "c", principal=BOB, **arguments)  # type: ignore[arg-type]
    for call in (
        lambda: draw_unflagged(wh, "c", principal=BOB),
        lambda: draw_second_looks(wh, "c", principal=BOB, rate=0.5),
    ):
        with pytest.raises(RefusedError) as caught:
            call()
        assert caught.value.reason == Refusal.NOTHING_TO_DO
    with pytest.raises(InputError):
        seed_known(wh, "c", {}, principal=BOB)
    with pytest.raises(InputError):
        seed_known(wh, "c", {"d99": True}, principal=BOB)
    with pytest.raises(InputError):
        answer_blind(wh, "sample_x", True, principal=CY, seconds=1)
    with pytest.raises(InputError):
        answer_blind(wh, "sample_x", True, principal=CY, seconds=float("nan"))
    assert sampling.next_blind(wh, principal=CY) is None
