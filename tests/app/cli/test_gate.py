"""`serve --gate` as a process, beside the dashboard's warehouse and alone; `gate-log` on what it did."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.small_warehouse import CORPUS, Small


def test_options_of_the_gate_need_the_gate(ragsieve: Callable, stocked: Small) -> None:
    for given, message in (
        (("--corpus", "c"), "--corpus is an option of the gate"),
        (("--budget-ms", "5"), "--budget-ms is an option of the gate"),
        (("--gate",), "no corpus to guard"),
        (("--gate", "--ingest", "--corpus", CORPUS), "a route of the dashboard"),
        (("--gate", "--corpus", CORPUS, "--sample", "3"), "gate setting sample"),
        (("--gate", "--corpus", CORPUS, "--rule", "papr"), "unknown RSQ rule"),
        (("--gate", "--corpus", CORPUS, "--address", "0.0.0.0", "--no-token"), "without tokens anybody"),
        (("--gate", "--corpus", CORPUS, "--filter-only"), "no token can use this gate yet"),
        (("--gate", "--corpus", "nothing", "--filter-only", "--no-token"), "nothing"),
    ):
        done = ragsieve("serve", *given)
        assert done.exit_code == 2, (given, done.output)
        assert message in done.stderr, (given, done.stderr)


def test_gate_log_of_a_warehouse_without_a_gate(ragsieve: Callable, stocked: Small, tmp_path: Path) -> None:
    assert "no gated query yet" in ragsieve("gate-log", "list").stderr
    assert json.loads(ragsieve("gate-log", "list", "--json").stdout) == {"events": []}
    reach = json.loads(ragsieve("gate-log", "reach", "--corpus", CORPUS, "--limit", "2", "--json").stdout)
    assert [row["cited"] for row in reach["documents"]] == [0, 0]
    assert reach["documents"][0]["in_context"] >= reach["documents"][1]["in_context"]
    assert "as 2026-01-31T12:00" in ragsieve("gate-log", "list", "--since", "yesterday").stderr
    assert ragsieve("gate-log", "export", "--out", "e.jsonl").exit_code == 0
    assert (tmp_path / "e.jsonl").read_text() == ""


def ask(port: int, path: str, body: object, token: str = "") -> dict:
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(), headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=60) as answer:
        return json.loads(answer.read())


@pytest.mark.models
@pytest.mark.slow
def test_a_gate_process_answers_and_its_events_arrive(ragsieve: Callable, stocked: Small, tmp_path: Path) -> None:
    made = json.loads(ragsieve("token", "create", "--name", "rag", "--scope", "gate", "--json").stdout)
    command = [sys.executable, "-m", "app.cli", "serve", "--gate", "--corpus", CORPUS, "--filter-only"]
    process = subprocess.Popen(
        [*command, "--port", "0", "--warehouse", str(stocked.path), "--mode", "shadow"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"HF_HUB_OFFLINE": "1"},
    )
    try:
        line = process.stdout.readline() if process.stdout else ""
        assert line.startswith("gate open on http://127.0.0.1:"), process.stderr.read() if process.stderr else ""
        port = int(line.rsplit(":", 1)[1])
        documents = [{"id": f"doc-{i:03d}"} for i in range(12)]
        answer = ask(port, "/v1/filter", {"query": "harbour", "documents": documents}, made["secret"])
        assert (answer["mode"], answer["state"], len(answer["context"])) == ("shadow", "tail_too_short", 5)
        said = {"event": answer["event"], "answer": "a", "cited": ["doc-000"]}
        assert ask(port, "/v1/answers", said, made["secret"])["state"] == "recorded"
        time.sleep(0.1)
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "2 events and answers written, 0 lost" in errors
    from warehouse.database import Warehouse
    from warehouse.inbox import take_in

    with Warehouse.open(stocked.path, command="test") as wh:
        take_in(wh)
    listed = json.loads(ragsieve("gate-log", "list", "--mode", "shadow", "--json").stdout)["events"]
    assert [(row["event_id"], row["answers"], row["ranked"]) for row in listed] == [(answer["event"], 1, 12)]
