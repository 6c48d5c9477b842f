"""Which rows belong to which cell, by hand."""

from __future__ import annotations

import numpy as np

from ragsieve_core.evaluate.samples import (
    ALL,
    Candidates,
    Documents,
    injected_for_rsg,
    injected_for_rsq,
    retrieved_by_rsg,
    retrieved_by_rsq,
)
from ragsieve_core.evaluate.units import document_units


def candidates() -> Candidates:
    rows = [
        # query, document, condition, attack of its label, poison, score
        ("q1", "p1", "salad", "salad", 1, 2.0),
        ("q1", "c1", "salad", "", 0, 0.3),
        ("q2", "p2", "prefix", "prefix", 1, 1.5),
        ("q2", "c2", "prefix", "", 0, 0.4),
        ("q1", "c1", "clean", "", 0, 0.2),
        ("q2", "c9", "clean", "", -1, 9.0),
    ]
    columns = list(zip(*rows, strict=True))
    score = np.array(columns[5])
    return Candidates(
        *(np.array(column, dtype=str) for column in columns[:4]),
        np.array([f"e{n}" for n in (1, 1, 2, 2, 3, 4)]),
        np.array(columns[4], dtype=np.int8),
        score,
        score >= 1,
        {"anchor": score / 2},
    )


def test_a_cell_takes_its_own_attack_and_clean_rankings() -> None:
    found = dict(retrieved_by_rsq(candidates()))
    assert set(found) == {"salad", "prefix", ALL}
    assert sorted(found["salad"].score.tolist()) == [0.2, 0.3, 2.0]
    assert sorted(found["prefix"].score.tolist()) == [0.2, 0.4, 1.5]
    assert sorted(found[ALL].score.tolist()) == [0.2, 0.3, 0.4, 1.5, 2.0]
    assert np.unique(found[ALL].cluster).size == 2
    np.testing.assert_allclose(found["salad"].terms["without anchor"], found["salad"].score / 2)


def test_a_planted_document_that_was_never_retrieved_is_missed() -> None:
    found = dict(injected_for_rsq(candidates(), ["p1", "p3", "p7"], ["q1", "q1", "q9"], ["salad", "salad", "salad"]))
    sample = found["salad"]
    # p7's question was never asked: it says nothing about the detector
    assert sample.score[sample.poison].tolist() == [2.0, -np.inf]
    assert sample.flagged[sample.poison].tolist() == [True, False]


def test_rsg_is_compared_over_the_same_candidates() -> None:
    scanned = Documents(
        np.array(["c1", "p1", "c2"]),
        np.array(["", "salad", ""]),
        np.arange(3),
        np.array([0, 1, 0], dtype=np.int8),
        np.array([0.1, 0.8, 0.7]),
        np.array([False, True, True]),
        {},
    )
    rsg = dict(retrieved_by_rsg(candidates(), scanned))["salad"]
    rsq = dict(retrieved_by_rsq(candidates()))["salad"]
    assert rsg.name == rsq.name
    assert sorted(rsg.score.tolist()) == [0.1, 0.1, 0.8]
    whole = dict(injected_for_rsg(scanned))
    assert set(whole) == {"salad"}
    assert whole["salad"].poison.sum() == 1


def test_units_of_documents_by_hand() -> None:
    # 0 and 1: planted for t; 2 and 3: one source; 4 and 5: each other's neighbours; 6: of a planted one, and of 5 alone
    poison = np.array([True, True, False, False, False, False, False])
    target, source = ["t", "t", "", "", "", "", ""], ["x", "y", "s", "s", "", "", ""]
    links = (np.array([4, 5, 6, 0, 6]), np.array([5, 4, 0, 6, 5]))
    unit = document_units(poison, target, source, links)
    assert unit[0] == unit[1]
    assert unit[2] == unit[3]
    assert unit[4] == unit[5]
    assert np.unique(unit).size == 4
