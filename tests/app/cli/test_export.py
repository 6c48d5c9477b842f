"""Exports read back by pandas, pyarrow and Python's csv against what is stored."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.small_warehouse import CORPUS, HOSTILE_SOURCE, Small

KINDS = {"scores": 66, "decisions": 1, "quarantine": 1, "events": 60, "candidates": 15, "labels": 0}


@pytest.fixture
def busy(ragsieve: Callable, stocked: Small) -> Small:
    """One hostile alert decided and quarantined."""
    given = (
        "--verdict",
        "quarantine",
        "--reason",
        "true_positive",
        "--expected-version",
        "1",
        "--note",
        "=HYPERLINK(1)",
    )
    assert ragsieve("decide", stocked.rsq_alert, *given).exit_code == 0
    assert ragsieve("quarantine", "propose", "--decided", "--approve", "--yes").exit_code == 0
    return stocked


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_in_every_format(ragsieve: Callable, busy: Small, tmp_path: Path, kind: str) -> None:
    for form in ("parquet", "csv", "jsonl"):
        done = ragsieve("export", kind, "--out", f"x.{form}", "--json")
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["rows"] == KINDS[kind]
    table = pq.read_table(tmp_path / "x.parquet")
    assert table.num_rows == KINDS[kind]
    assert json.loads(table.schema.metadata[b"ragsieve"])["export"] == kind
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()]
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        cells = list(csv.DictReader(file))
    assert len(lines) == len(cells) == KINDS[kind]
    names = table.column_names
    for key in {"document_id", "score", "verdict", "rank"} & set(names):
        stored = table[key].to_pylist()
        assert [line[key] for line in lines] == stored
        assert [cell[key] for cell in cells] == ["" if value is None else str(value) for value in stored]


def test_a_formula_is_harmless_in_csv_and_kept_elsewhere(ragsieve: Callable, busy: Small, tmp_path: Path) -> None:
    ragsieve("export", "decisions", "--out", "d.csv")
    ragsieve("export", "decisions", "--out", "d.jsonl")
    with (tmp_path / "d.csv").open(encoding="utf-8", newline="") as file:
        [cell] = csv.DictReader(file)
    row = json.loads((tmp_path / "d.jsonl").read_text(encoding="utf-8"))
    assert (cell["note"], row["note"]) == ("'=HYPERLINK(1)", "=HYPERLINK(1)")
    assert (cell["source_uri"], row["source_uri"]) == ("'" + HOSTILE_SOURCE, HOSTILE_SOURCE)


def test_the_quarantine_of_an_earlier_version(ragsieve: Callable, busy: Small, tmp_path: Path) -> None:
    first = json.loads(ragsieve("quarantine", "list", "--json").stdout)["versions"][0]["quarantine_id"]
    [member] = _rows(ragsieve, tmp_path, "quarantine")
    ragsieve("quarantine", "release", member["document_id"], "--corpus", CORPUS, "--approve", "--yes")
    assert _rows(ragsieve, tmp_path, "quarantine") == []
    assert _rows(ragsieve, tmp_path, "quarantine", "--version", first) == [member]


def _rows(ragsieve: Callable, folder: Path, *arguments: str) -> list[dict]:
    done = ragsieve("export", *arguments, "--out", "rows.jsonl")
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("scores", "--out", "x.xlsx"), "no format 'xlsx'"),
        (("scores", "--out", "x"), "no format ''"),
        (("scores", "--out", "x.csv", "--corpus", "harbor"), "did you mean 'harbour'"),
        (("scores", "--out", "x.csv", "--scan", "scan_nowhere"), "scan_nowhere"),
        (("labels", "--out", "x.csv", "--scan", "s"), "belongs to `export scores`"),
        (("quarantine", "--out", "x.csv", "--version", "quar_x"), "no quarantine version"),
        (("scores", "--out", "ragsieve.duckdb", "--format", "csv"), "belongs to the warehouse"),
    ],
)
def test_errors(ragsieve: Callable, stocked: Small, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    done = ragsieve("export", *arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.output
    assert not (tmp_path / "x.csv").exists()
    assert not list(Path(f"{stocked.path}.d/tmp").glob("export_*"))
