"""Commands while a real dashboard, in its own process, owns the warehouse."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from ragsieve_core.publication import PublicationReader
from tests.browser import dashboard
from tests.small_warehouse import CORPUS, Small
from warehouse.inbox import waiting
from warehouse.side import Side

RAGSIEVE = [sys.executable, "-c", "from app.cli.main import main; main()"]
Run = Callable[..., Result]


@pytest.fixture(scope="module")
def owned(own_copy: Small) -> Iterator[Small]:
    output: list[str] = []
    with dashboard(own_copy.path, output=output):
        yield own_copy
    assert "Traceback" not in "".join(output)


@pytest.fixture
def run(own_copy: Small, ragsieve: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> Run:
    def call(*arguments: str, **options: str) -> Result:
        for name, value in {"RAGSIEVE_WAREHOUSE": str(own_copy.path), **options}.items():
            monkeypatch.setenv(name, value)
        done = ragsieve(*arguments)
        assert "Traceback" not in done.stderr
        return done

    return call


@pytest.mark.parametrize(
    "arguments",
    [
        ("decide", "ALERT", "--verdict", "keep", "--reason", "benign", "--expected-version", "1"),
        ("quarantine", "propose", "ALERT"),
        ("quarantine", "approve", "quar_x", "--yes"),
        ("quarantine", "reject", "quar_x"),
        ("quarantine", "release", "doc-001", "--corpus", CORPUS),
        ("quarantine", "rollback", "quar_x"),
        ("quarantine", "hold", "ALERT", "--reason", "x"),
        ("quarantine", "end-hold", "hold_x"),
        ("token", "create", "--name", "x", "--scope", "ingest"),
        ("token", "revoke", "token_x", "--yes"),
        ("corpus", "policy", CORPUS, "after_review"),
        ("corpus", "trust", CORPUS, "trusted", "--source", "x"),
        ("corpus", "risk", CORPUS, "2"),
        ("corpus", "admit", CORPUS, "doc-001"),
        ("erase", "doc-001", "--corpus", CORPUS, "--reason", "x", "--yes"),
        ("compact",),
        ("gc",),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_what_decides_or_administers_is_refused(owned: Small, run: Run, arguments: tuple[str, ...]) -> None:
    done = run(*[owned.rsg_alert if word == "ALERT" else word for word in arguments])
    assert done.exit_code == 3
    assert "held by 'dashboard'" in done.stderr
    assert "on the owner's screens" in done.stderr
    assert done.stdout == ""


def test_reads_are_answered_by_the_dashboard(owned: Small, run: Run, tmp_path: Path) -> None:
    verified = run("audit", "verify", "--json")
    assert (verified.exit_code, json.loads(verified.stdout)["ok"]) == (0, True)
    alerts = json.loads(run("alerts", "--all", "--json").stdout)
    assert {row["status"] for row in alerts["alerts"]} == {"open"}
    assert json.loads(run("corpus", "list", "--json").stdout)["corpora"][0]["name"] == CORPUS
    assert json.loads(run("quarantine", "list", "--json").stdout) == {"versions": [], "holds": []}
    assert json.loads(run("token", "list", "--json").stdout) == {"tokens": []}
    assert json.loads(run("export", "scores", "--out", "s.csv", "--json").stdout)["rows"] == 66
    assert len((tmp_path / "s.csv").read_text(encoding="utf-8").splitlines()) == 67
    run("audit", "head", "--sink", "heads.jsonl")
    assert json.loads((tmp_path / "heads.jsonl").read_text())["sequence"] > 0
    unknown = run("export", "scores", "--out", "s.csv", "--corpus", "harbor")
    assert (unknown.exit_code, "did you mean 'harbour'" in unknown.stderr) == (2, True)
    assert list(Side(owned.path).folder("tmp").glob("job_*")) == []


def test_no_output_goes_over_the_live_file(owned: Small, run: Run) -> None:
    size = owned.path.stat().st_size
    for arguments in (("audit", "head", "--sink"), ("audit", "export", "--out")):
        done = run(*arguments, str(owned.path))
        assert (done.exit_code, "belongs to the warehouse" in done.stderr) == (2, True)
    assert owned.path.stat().st_size == size


def test_a_backup_while_it_works_can_be_restored(owned: Small, run: Run, tmp_path: Path) -> None:
    done = run("backup", "copy", "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["folder"] == str(tmp_path / "copy")
    assert run("restore", "copy", "again.duckdb").exit_code == 0
    found = json.loads(run("alerts", "--all", "--json", RAGSIEVE_WAREHOUSE=str(tmp_path / "again.duckdb")).stdout)
    assert found == json.loads(run("alerts", "--all", "--json").stdout)
    again = run("backup", "copy")
    assert (again.exit_code, "not empty" in again.stderr) == (2, True)


def test_the_dashboard_takes_in_what_is_ingested(owned: Small, run: Run, tmp_path: Path) -> None:
    (tmp_path / "new.jsonl").write_text('{"id": "new-1", "text": "a late note"}\n', encoding="utf-8")
    first = run("ingest", "--corpus", "late", "new.jsonl", "--json")
    assert first.exit_code == 0, first.stderr
    assert json.loads(first.stdout)["accepted"] == 1
    again = json.loads(run("ingest", "--corpus", "late", "new.jsonl", "--json").stdout)
    assert (again["accepted"], again["duplicates"]) == (0, 1)
    assert waiting(owned.path) == 0


def test_an_earlier_text_can_be_brought_back(owned: Small, run: Run, tmp_path: Path) -> None:
    """The same file again is a new delivery: by its bytes alone it would be taken for one that was lost."""
    for text in ("old", "new", "old"):
        (tmp_path / "d.jsonl").write_text(json.dumps({"id": "d", "text": text}) + "\n", encoding="utf-8")
        assert json.loads(run("ingest", "--corpus", "turns", "d.jsonl", "--json").stdout)["accepted"] == 1


def test_what_is_no_request_is_left_alone(owned: Small, run: Run) -> None:
    """A forged or broken request is dropped, and the dashboard goes on answering."""
    folder = Side(owned.path).folder("tmp")
    bodies = (b"", b"\xff", b"[]", b'{"job": "erase", "arguments": {}}', b'{"job": "tokens", "arguments": []}')
    for number, body in enumerate(bodies):
        (folder / f"job_{number:016d}.request").write_bytes(body)
    (folder / "job_aaaaaaaaaaaaaaaa.request").symlink_to(owned.path)
    assert json.loads(run("audit", "verify", "--json").stdout)["ok"]
    deadline = time.monotonic() + 10
    while len(list(folder.glob("job_0*"))) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert list(folder.glob("job_0*")) == []
    assert list(folder.glob("*.answer")) == []


def test_a_gate_reads_a_confirmed_publication(owned: Small) -> None:
    reading = PublicationReader(Side(owned.path).folder("published")).read()
    assert reading.state == "ok"
    assert reading.confirmed_age_s is not None
    assert reading.confirmed_age_s < 60


HOLDER = (
    "import sys; from warehouse.database import Warehouse\n"
    "with Warehouse.open(sys.argv[1], command=sys.argv[2]): print('open', flush=True); sys.stdin.read()"
)


@pytest.fixture
def hold(tmp_path: Path) -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Own a new warehouse at ``w.duckdb`` in another process, under a command's name, and answer nobody."""
    started = []

    def start(command: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(tmp_path / "w.duckdb"), command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_dashboard_that_dies_before_it_answers_is_replaced(
    hold: Callable[[str], subprocess.Popen[str]], run: Run, tmp_path: Path
) -> None:
    owner = hold("dashboard")
    asking = subprocess.Popen(
        [*RAGSIEVE, "audit", "verify", "--json", "--warehouse", str(tmp_path / "w.duckdb")],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    folder = Side(tmp_path / "w.duckdb").folder("tmp")
    deadline = time.monotonic() + 60
    while not list(folder.glob("job_*.request")) and time.monotonic() < deadline:
        time.sleep(0.05)
    owner.kill()
    out, _ = asking.communicate(timeout=60)
    assert (asking.returncode, json.loads(out)["ok"]) == (0, True)
    assert list(folder.glob("job_*")) == []


def test_another_command_answers_no_questions(
    hold: Callable[[str], subprocess.Popen[str]], run: Run, tmp_path: Path
) -> None:
    hold("scan")
    for arguments in (("alerts",), ("backup", "copy"), ("quarantine", "propose", "alert_x"), ("compact",)):
        done = run(*arguments, RAGSIEVE_WAREHOUSE=str(tmp_path / "w.duckdb"))
        assert (done.exit_code, "held by 'scan'" in done.stderr) == (3, True)
        assert "screens" not in done.stderr
