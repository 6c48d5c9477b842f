"""A scan that is killed or interrupted in its own process; and repeated, beside an owner, after an ingest."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

from tests.app.cli.test_through_the_owner import OWNER

# Small blocks, so that a small corpus has many; a shell that runs tests in the background has them ignore Ctrl-C
RAGSIEVE = """
import signal; signal.signal(signal.SIGINT, signal.default_int_handler)
import app.services.neighborhoods as n; n.BLOCK = 100
from app.cli.main import main; main()
"""
COUNT = 3000


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus large enough that its search takes a while, and a small increment."""
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(3)
    matrix = rng.standard_normal((COUNT + 5, 256)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    rows = [{"id": f"d{i:04d}", "text": f"note {i} on matter {i * 3}"} for i in range(COUNT + 5)]
    for name, part in (("all", slice(COUNT)), ("more", slice(COUNT, COUNT + 5)), ("few", slice(60))):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[part]), encoding="utf-8")
        np.save(folder / f"{name}.npy", matrix[part])
    return folder


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start `ragsieve ARGS` in ``tmp_path`` on its warehouse."""
    started: list[subprocess.Popen[str]] = []

    def run(*arguments: str, code: str = RAGSIEVE) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def run(ragsieve: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, dict, str]]:
    """Run to the end in this process; exit code, JSON, stderr."""
    monkeypatch.setattr("app.services.neighborhoods.BLOCK", 100)

    def call(*arguments: str) -> tuple[int, dict, str]:
        done = ragsieve(*arguments, "--json")
        assert "Traceback" not in done.stderr
        return done.exit_code, json.loads(done.stdout) if done.stdout else {}, done.stderr

    return call


def ingest(files: Path, name: str, corpus: str = "c", *more: str) -> tuple[str, ...]:
    vectors = ("--embeddings", str(files / f"{name}.npy"), "--encoder", "mine")
    return ("ingest", "--corpus", corpus, str(files / f"{name}.jsonl"), *vectors, *more)


SCAN = ("scan", "--corpus", "c", "--encoder", "mine", "--rule", "paper")


def blocks(folder: Path) -> list[Path]:
    return list(folder.glob("ragsieve.duckdb.d/scratch/search-*/block-*.npz"))


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 120
    while not condition() and time.monotonic() < until and process.poll() is None:
        time.sleep(0.002)
    assert process.poll() is None, process.communicate()[1]
    assert condition()


def scores(run: Callable, folder: Path) -> list[dict]:
    """Every document's score in the warehouse of a folder, without what numbers its versions."""
    run("export", "scores", "--out", "scores.jsonl")
    rows = map(json.loads, (folder / "scores.jsonl").read_text(encoding="utf-8").splitlines())
    found = [{name: value for name, value in row.items() if name != "version_id"} for row in rows if "score" in row]
    assert len(found) == COUNT
    return found


UNDISTURBED: list[dict] = []


@pytest.fixture
def undisturbed(run: Callable, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict]:
    """Scores of a scan that nothing happened to, found once."""
    if not UNDISTURBED:
        (tmp_path / "undisturbed").mkdir()
        with monkeypatch.context() as there:
            there.chdir(tmp_path / "undisturbed")
            assert run(*ingest(files, "all"))[0] == 0
            assert run(*SCAN)[1]["search"]["blocks_reused"] == 0
            UNDISTURBED.extend(scores(run, Path.cwd()))
    return UNDISTURBED


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill -9", "Ctrl-C"])
def test_a_scan_that_was_stopped_goes_on_from_its_blocks(
    run: Callable, start: Callable, files: Path, undisturbed: list[dict], tmp_path: Path, how: signal.Signals
) -> None:
    assert run(*ingest(files, "all"))[0] == 0
    process = start(*SCAN, "--json")
    wait_for(lambda: len(blocks(tmp_path)) >= 3, process)
    process.send_signal(how)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == (-9 if how == signal.SIGKILL else 130), said
    if how == signal.SIGINT:
        assert "run the same command again to go on" in said
    kept = len(blocks(tmp_path))
    assert kept >= 3
    # Nothing half done: no scan, no alert, every document still unscanned
    (corpus,) = run("corpus", "list")[1]["corpora"]
    assert (corpus["unscanned"], corpus["last_scan_at"]) == (COUNT, None)
    assert run("alerts", "--all")[1]["total"] == 0

    code, done, said = run(*SCAN)
    assert (code, done["documents"], done["already"]) == (0, COUNT, False)
    assert done["search"]["blocks"] == 30
    assert 3 <= done["search"]["blocks_reused"] <= kept
    assert f"resumed: {done['search']['blocks_reused']} of 30 blocks reused" in said
    assert not list(tmp_path.glob("ragsieve.duckdb.d/scratch/search-*"))
    (corpus,) = run("corpus", "list")[1]["corpora"]
    assert corpus["unscanned"] == 0

    # And what was resumed is what an undisturbed scan finds
    assert scores(run, tmp_path) == undisturbed


def test_a_scan_beside_an_owner_is_small_after_a_small_change_and_known_when_repeated(
    run: Callable, files: Path, tmp_path: Path
) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path / "ragsieve.duckdb")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"ready\n"
        run(*ingest(files, "all"))
        first = run(*SCAN)[1]
        assert first["search"]["mode"] == "full"
        run(*ingest(files, "more"))
        code, done, said = run(*SCAN)
        assert (code, done["documents"], done["search"]["mode"]) == (0, COUNT + 5, "incremental")
        assert done["search"]["searched"] < 100
        assert done["changes"]["previous"] == first["scan"]
        assert done["changes"]["added"] == 5
        assert "working through it" in said
        again = run(*SCAN)[1]
        assert (again["already"], again["scan"], again["search"]) == (True, done["scan"], {})
    finally:
        owner.communicate(timeout=60)


def test_an_audit_skips_what_is_unchanged_and_outlives_a_failure(run: Callable, files: Path, tmp_path: Path) -> None:
    run(*ingest(files, "few"))
    code, total, said = run(*SCAN, "--every", "0.2s", "--count", "3")
    assert (code, total["rounds"], total["scanned"], total["unchanged"], total["failed"]) == (0, 3, 1, 2, 0)
    assert said.count("stored already") == 2
    code, total, said = run("scan", "--corpus", "nowhere", "--encoder", "mine", "--every", "0.1s", "--count", "2")
    assert (code, total["failed"], total["last_error"]) == (2, 2, "no corpus 'nowhere'")
    assert "round 2 failed" in said


def test_ctrl_c_ends_an_audit_with_its_summary(run: Callable, start: Callable, files: Path, tmp_path: Path) -> None:
    run(*ingest(files, "few"))
    process = start(*SCAN, "--every", "1h", "--json")
    state = tmp_path / "ragsieve.duckdb.d" / "neighbors"
    wait_for(lambda: bool(list(state.glob("*/*.npz"))), process)
    # Between the rounds others can have the warehouse
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        code, found, _ = run("corpus", "list")
        if code == 0 and not found["corpora"][0]["unscanned"]:
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=60)
    total = json.loads(out)
    assert (process.returncode, total["interrupted"], total["scanned"]) == (0, True, 1), said
    assert "Traceback" not in said


def test_an_ingest_is_followed_by_a_scan_where_the_policy_says_so(run: Callable, files: Path) -> None:
    assert "scan" not in run(*ingest(files, "few"))[1]
    run("corpus", "policy", "c", "after_scan")
    # Nothing new: nothing to scan, though no scan has been
    assert "scan" not in run(*ingest(files, "few"))[1]
    code, done, _ = run(*ingest(files, "more"))
    assert (code, done["scan"]["documents"], done["scan"]["already"]) == (0, 65, False)
    assert "scan" not in run(*ingest(files, "few", "c", "--no-scan", "--full"))[1]
    explicit = run(*ingest(files, "few", "other", "--scan", "--rule", "paper"))[1]
    assert (explicit["scan"]["documents"], explicit["scan"]["rule"]) == (60, "paper")


def test_a_scan_that_fails_after_an_ingest_leaves_the_documents(run: Callable, files: Path, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text('{"id": "a", "text": "alone"}\n', encoding="utf-8")
    code, done, said = run("ingest", "--corpus", "one", "one.jsonl", "--scan")
    assert (code, done["accepted"], "scan" in done) == (0, 1, False)
    assert "needs a second document" in said
    run(*ingest(files, "few"))
    code, done, said = run(*ingest(files, "more", "c", "--scan", "--rule", "best"))
    assert (code, done["accepted"], done["scan"]["error"]) == (2, 5, "unknown RSG rule 'best'")
    assert "the documents are in" in said


def test_bad_use(run: Callable) -> None:
    for arguments, told in (
        (("--count", "2"), "--count without --every"),
        (("--every", "soon"), "no length of time"),
        (("--every", "0"), "no length of time"),
        (("--every", "1m", "--snapshot", "x"), "one snapshot does not change"),
    ):
        code, _, said = run(*SCAN, *arguments)
        assert (code, told in said) == (2, True), said
