"""Cells over a real warehouse equal plain recomputation from its exports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from app.services import evaluating, weighing
from app.services.whatif_setting import Setting
from ragsieve_core.errors import InputError
from ragsieve_core.evaluate.cells import Slice
from ragsieve_core.policy import Policy, PolicyRule
from tests.small_warehouse import CORPUS, build
from tests.warehouses import copy_warehouse
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.events import candidate_rows
from warehouse.labels import record_labels, record_qrels
from warehouse.principal import Principal, local_principal
from warehouse.records import LabelRecord
from warehouse.scans import list_scans, scan_scores

ME = local_principal()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("evaluating") / "w.duckdb"
    build(path, events=6)
    return path


@pytest.fixture
def small(made: Path, tmp_path: Path) -> Iterator[Warehouse]:
    with Warehouse.open(copy_warehouse(made, tmp_path / "w.duckdb"), command="pytest") as wh:
        yield wh


def label_all(wh: Warehouse) -> None:
    names = scan_scores(wh, list_scans(wh, principal=ME)[0]["scan_id"], principal=ME)["document_id"].to_pylist()
    record_labels(
        wh,
        [
            LabelRecord(
                CORPUS, name, name.startswith("plant"), "fixture", "f", "q0" if name.startswith("plant") else ""
            )
            for name in names
        ],
        principal=ME,
    )


def test_cells_equal_scikit_learn_over_the_exports(small: Warehouse) -> None:
    label_all(small)
    samples = evaluating.collect(small, evaluating.Wanted(), principal=ME)
    cells = {cell.slice: cell for cell in evaluating.cells(samples, resamples=50)}
    rsg = cells[Slice(CORPUS, "fixture-64", "unnamed attack", "rsg/paper", "injected")]
    scores = scan_scores(small, list_scans(small, principal=ME)[0]["scan_id"], principal=ME)
    planted = [name.startswith("plant") for name in scores["document_id"].to_pylist()]
    assert rsg.auroc is not None
    assert rsg.auroc.value == pytest.approx(roc_auc_score(planted, scores["score"].to_numpy()))
    assert (rsg.n, rsg.positives) == (66, 6)
    rsq = (
        cells[Slice(CORPUS, "fixture-64", "clean", "rsq/paper", "retrieved")]
        if any(where.attack == "clean" for where in cells)
        else cells[Slice(CORPUS, "fixture-64", "unnamed attack", "rsq/paper", "retrieved")]
    )
    rows = candidate_rows(small, principal=ME)
    planted = [name.startswith("plant") for name in rows["document_id"].to_pylist()]
    assert rsq.auroc is not None
    assert rsq.auroc.value == pytest.approx(roc_auc_score(planted, rows["score"].to_numpy()))
    assert rsq.n == rows.num_rows


def test_every_row_names_the_command_that_makes_it(small: Warehouse) -> None:
    label_all(small)
    rows = evaluating.rows(
        small, evaluating.Wanted(), view="cells", resamples=20, seed=0, warehouse="w.duckdb", principal=ME
    )
    assert rows
    for row in rows:
        assert row["command"].startswith("ragsieve evaluate --warehouse w.duckdb --corpus harbour")
        wanted = evaluating.Wanted(*(row[name] for name in evaluating.FIELDS))
        (again,) = evaluating.rows(
            small, wanted, view="cells", resamples=20, seed=0, warehouse="w.duckdb", principal=ME
        )
        assert again == row


def test_without_labels_there_is_no_cell(small: Warehouse) -> None:
    assert evaluating.collect(small, evaluating.Wanted(), principal=ME) == {}


def test_another_tenant_sees_no_cell(small: Warehouse) -> None:
    label_all(small)
    stranger = Principal("eve", "reviewer", frozenset({"elsewhere"}))
    assert evaluating.collect(small, evaluating.Wanted(), principal=stranger) == {}


def setting(**changes: object) -> Setting:
    return Setting(**({"detector": "rsq", "rule": "paper", "corpus": CORPUS} | changes))  # type: ignore[arg-type]


def test_a_report_equals_plain_counting(small: Warehouse) -> None:
    label_all(small)
    record_qrels(small, CORPUS, [("q1", "doc-003", 1)], source="q", principal=ME)
    rows = candidate_rows(small, principal=ME)
    score = rows["score"].to_numpy()
    eta = float(np.median(score))
    found = weighing.report(small, setting(moves={"eta_Q": eta}), principal=ME)
    assert found["proposed"]["flagged"] == int((score >= eta).sum())
    assert found["in_force"]["flagged"] == int((score >= 1).sum())
    assert found["proposed"]["units"] == len(set(rows["event_id"].to_pylist()))
    assert found["proposed"]["recent_units"] == found["proposed"]["units"]
    assert found["raised"] - found["released"] == found["proposed"]["flagged"] - found["in_force"]["flagged"]
    assert found["proposed"]["basis"] == "labels"
    assert found["proposed"]["recall_queries"] == 1
    assert found["needs_replay"] is None


def test_flips_against_a_verdict_come_first(small: Warehouse) -> None:
    from warehouse.alerts import QueueFilter, queue_page

    row = queue_page(small, principal=ME, filters=QueueFilter(detectors=["rsq"])).rows[0]
    decide(small, row["alert_id"], row["version"], principal=ME, verdict="quarantine", reason="true_positive")
    found = weighing.report(small, setting(moves={"eta_Q": 99.0}), principal=ME)
    assert found["contradicting"] >= 1
    assert found["flips"][0]["document_id"] == row["document_id"]
    assert found["flips"][0]["contradicts"]
    # Only verdicts are known, all on flagged items: precision and nothing else
    assert found["in_force"]["basis"] == "flagged_only"
    assert found["in_force"]["precision"]["value"] == 1
    assert found["in_force"]["caught"] is None


def test_an_rsg_move_counts_events_that_need_a_replay(small: Warehouse) -> None:
    found = weighing.report(small, setting(detector="rsg", moves={"density_cut": 0.99, "tau_e": 0.99}), principal=ME)
    assert found["released"] > 0
    assert 0 < found["needs_replay"] <= found["events"] == 6
    still = weighing.report(small, setting(detector="rsg", moves={"eta_G": 0.7}), principal=ME)
    assert (still["raised"], still["released"], still["needs_replay"]) == (0, 0, 0)
    assert "both sides" in still["notes"][0]


def test_what_a_policy_has_in_force_is_the_other_side(small: Warehouse) -> None:
    policy = Policy("p", (PolicyRule("rsq", "paper", {"eta_Q": 0.01}, CORPUS),))
    prepared = weighing.prepare(small, setting(), principal=ME)
    weighed = weighing.weigh(prepared, setting(moves={"eta_Q": 1.0}), policy)
    assert weighed.before.all()
    assert weighed.parameters["in_force"]["eta_Q"] == 0.01
    rules = weighing.rules_with(policy, setting(moves={"weight.script": 0.5}))
    assert rules == (PolicyRule("rsq", "paper", {"eta_Q": 0.01, "weight.script": 0.5}, CORPUS),)
    assert weighing.loosening(policy, rules)


def test_what_is_not_there_is_said(small: Warehouse) -> None:
    for wrong in ({"corpus": "harbor"}, {"rule": "papre"}, {"retriever": "other"}, {"detector": "rsx"}):
        with pytest.raises(InputError):
            weighing.report(small, setting(**wrong), principal=ME)
    with pytest.raises(InputError, match="labelled rows"):
        weighing.report(small, setting(choose_at=0.05), principal=ME)
