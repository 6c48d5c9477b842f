"""label, evaluate, whatif and policy: the same numbers as the services, and clear words where something is missing."""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import Result

from tests.small_warehouse import CORPUS, Small

Run = Callable[..., Result]


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Six planted documents, one of them with hostile names, and a broken row."""
    path = tmp_path / "labels.jsonl"
    rows: list[dict[str, object]] = [
        {"document_id": f"plant-{n}", "poison": True, "query_id": "q0", "attack": "=cmd()"} for n in range(6)
    ]
    rows += [{"document_id": "x"}, {"document_id": "y", "poison": True, "sampling_probability": 2}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_label_evaluate_and_export(ragsieve: Run, stocked: Small, labels: Path, tmp_path: Path) -> None:
    taken = ragsieve("label", str(labels), "--corpus", CORPUS, "--rest-clean", "--json")
    assert taken.exit_code == 1, taken.output
    assert json.loads(taken.stdout) == {
        "corpus": CORPUS,
        "labels": 66,
        "qrels": 0,
        "rejected": 2,
        "provenance": "fixture",
    }
    assert "sampling_probability" in taken.stderr
    again = ragsieve("label", str(labels), "--corpus", CORPUS, "--rest-clean", "--json")
    assert json.loads(again.stdout)["labels"] == 0
    files = ("--csv", "cells.csv", "--parquet", "cells.parquet")
    done = ragsieve("evaluate", "--resamples", "50", "--json", *files)
    assert done.exit_code == 0, done.output
    cells = json.loads(done.stdout)["cells"]
    assert {(cell["detector"], cell["population"]) for cell in cells} == {
        (detector, population) for detector in ("rsg/paper", "rsq/paper") for population in ("injected", "retrieved")
    }
    with open(tmp_path / "cells.csv", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(cells) == pq.read_table(tmp_path / "cells.parquet").num_rows
    assert rows[0]["attack"] == "'=cmd()"
    one = ragsieve(*shlex.split(cells[0]["command"])[1:], "--json")
    assert json.loads(one.stdout)["cells"] == [cells[0]]
    shown = ragsieve("evaluate", "--resamples", "50")
    assert "few" in shown.stdout
    for view in ("differences", "ablation"):
        assert ragsieve("evaluate", "--view", view, "--resamples", "50").exit_code == 0


def test_evaluate_says_what_is_missing(ragsieve: Run, stocked: Small) -> None:
    nothing = ragsieve("evaluate")
    assert nothing.exit_code == 0
    assert "ragsieve label" in nothing.stderr
    for wrong in (("--corpus", "harbor"), ("--detector", "rsx/paper")):
        found = ragsieve("evaluate", *wrong)
        assert found.exit_code == 2
        assert "Traceback" not in found.output
    assert ragsieve("label", "--corpus", CORPUS).exit_code == 2
    assert ragsieve("label", "none.jsonl", "--corpus", CORPUS).exit_code == 2


def test_whatif_prints_and_refuses(ragsieve: Run, stocked: Small) -> None:
    found = ragsieve("whatif", "--corpus", CORPUS, "--set", "eta_Q=2.4", "--json")
    assert found.exit_code == 0, found.output
    report = json.loads(found.stdout)
    assert report["parameters"]["proposed"]["eta_Q"] == 2.4
    assert report["released"] == len(report["flips"]) > 0
    shown = ragsieve("whatif", "--corpus", CORPUS, "--set", "eta_Q=2.4")
    assert "not available: no relevance judgements" in shown.stdout
    assert "only volume is known" in shown.stderr
    deep = ragsieve("whatif", "--corpus", CORPUS, "--detector", "rsg", "--rule", "paper", "--set", "k_G=17")
    assert deep.exit_code == 2
    assert "more neighbours than the scan stored" in deep.stderr
    near = ragsieve("whatif", "--corpus", CORPUS, "--set", "eta_q=1")
    assert "did you mean 'eta_Q'" in near.stderr


def test_policy_goes_in_and_back(ragsieve: Run, stocked: Small) -> None:
    save = ("policy", "save", "--detector", "rsq", "--rule", "paper", "--json")
    first = ragsieve(*save, "--set", "eta_Q=0.5")
    assert first.exit_code == 0, first.output
    version = json.loads(first.stdout)["policy_id"]
    loose = ragsieve(*save, "--set", "eta_Q=1.5")
    assert loose.exit_code == 2
    assert "--yes" in loose.stderr
    assert ragsieve(*save, "--set", "eta_Q=1.5", "--corpus", CORPUS, "--yes").exit_code == 0
    changes = json.loads(ragsieve("policy", "diff", version, _in_force(ragsieve), "--json").stdout)["changes"]
    assert [(c["name"], c["before"], c["after"]) for c in changes] == [("eta_Q", 0.5, 1.5)]
    beside = json.loads(ragsieve("whatif", "--corpus", CORPUS, "--json").stdout)
    assert beside["parameters"]["in_force"]["eta_Q"] == 1.5
    back = ragsieve("policy", "rollback", version, "--yes", "--json")
    assert json.loads(back.stdout)["restores_id"] == version
    assert [row["state"] for row in json.loads(ragsieve("policy", "list", "--json").stdout)["policies"]] == [
        "in_force",
        "superseded",
        "superseded",
    ]
    assert ragsieve("policy", "show", "nothing").exit_code == 2
    assert ragsieve(*save).exit_code == 2
    assert ragsieve(*save, "--clear", "--yes").exit_code == 0
    assert json.loads(ragsieve("policy", "show", "--json").stdout)["rules"] == []


def _in_force(ragsieve: Run) -> str:
    return str(json.loads(ragsieve("policy", "show", "--json").stdout)["policy_id"])
