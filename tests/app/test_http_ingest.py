"""Segments over HTTP to a real `ragsieve serve --ingest`."""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import Result

from ragsieve_core.formats.records import RecordBatchColumns
from tests.browser import dashboard
from tests.small_warehouse import Small
from warehouse.database import Warehouse
from warehouse.principal import local_principal
from warehouse.segment_kinds import documents_segment, snapshot_request
from warehouse.tokens import issue_token

GIB = 1 << 30


@pytest.fixture(scope="module")
def tokens(own_copy: Small) -> dict[str, str]:
    with Warehouse.open(own_copy.path, command="test") as wh:
        return {
            scope: issue_token(wh, principal=local_principal(), name=scope, scope=scope).secret
            for scope in ("ingest", "gate", "read")
        }


@pytest.fixture(scope="module")
def url(own_copy: Small, tokens: dict[str, str]) -> Iterator[str]:
    output: list[str] = []
    with dashboard(own_copy.path, "--ingest", output=output) as found:
        yield found
    text = "".join(output)
    assert "segments are taken at" in text
    assert "Traceback" not in text
    assert not [secret for secret in tokens.values() if secret.split(".")[2] in text]


def send(
    url: str, body: bytes, token: str | None, *, method: str = "POST", length: int | None = None, **headers: str
) -> tuple[int, dict]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    connection.putrequest(method, "/api/ingest", skip_host="Host" in headers)
    if token is not None:
        connection.putheader("Authorization", f"Bearer {token}")
    connection.putheader("Content-Length", str(len(body) if length is None else length))
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders(body or None)
    answer = connection.getresponse()
    status, text = answer.status, answer.read()
    connection.close()
    return status, json.loads(text) if answer.getheader("Content-Type") == "application/json" else {}


def segment(corpus: str, count: int) -> bytes:
    ids = [f"{corpus}-{number}" for number in range(count)]
    batch = RecordBatchColumns(id=ids, text=[f"text of {name}" for name in ids], ordinal=list(range(count)))
    return documents_segment(corpus, [batch])


def test_taken_once_however_often_it_is_sent(
    url: str, tokens: dict[str, str], own_copy: Small, ragsieve: Callable[..., Result]
) -> None:
    data = segment("sent", 4)
    answers = [send(url, data, tokens["ingest"]) for _ in range(3)]
    assert [status for status, _ in answers] == [200, 200, 200]
    assert answers[0][1]["result"]["accepted"] == 4
    assert answers[1] == answers[0] == answers[2]
    listed = ragsieve("corpus", "list", "--json", "--warehouse", str(own_copy.path))
    [corpus] = [row for row in json.loads(listed.stdout)["corpora"] if row["name"] == "sent"]
    assert corpus["documents"] == 4


def test_who_may_send_what(url: str, tokens: dict[str, str]) -> None:
    data = segment("refused", 1)
    assert send(url, data, None)[0] == 401
    assert send(url, data, "rgs.token_x.y")[0] == 401
    assert send(url, data, tokens["ingest"] + "x")[0] == 401
    assert send(url, data, tokens["read"])[0] == 401
    assert send(url, data, tokens["gate"])[0] == 403
    assert send(url, snapshot_request("sent"), tokens["ingest"])[0] == 403
    assert send(url, b"", tokens["ingest"], method="GET")[0] == 405
    assert send(url, data, tokens["ingest"], Host="rebound.example")[0] == 400
    # A refusal can be read although the body was not wanted
    assert send(url, b"x" * (4 << 20), "rgs.token_x.y")[0] == 401


@pytest.mark.parametrize("body", [b"", b"x", b"RAGSIEVE-SEGMENT 1\n" + b"\xff" * 40, os.urandom(1000)])
def test_garbage_is_refused_with_its_reason(url: str, tokens: dict[str, str], body: bytes) -> None:
    status, told = send(url, body, tokens["ingest"])
    assert (status, told["state"], told["reason"]) == (422, "refused", "bad_segment")


def test_a_huge_body_is_refused_before_it_is_read(url: str, tokens: dict[str, str]) -> None:
    assert send(url, b"", tokens["ingest"], length=GIB + 1)[0] == 413
    assert send(url, b"", tokens["ingest"], length=10**20)[0] in (400, 413)
    # Nothing is read for somebody without a token, whatever length is stated
    assert send(url, b"", None, length=GIB)[0] == 401


def test_a_body_without_a_length_is_refused(url: str, tokens: dict[str, str]) -> None:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    headers = {"Authorization": f"Bearer {tokens['ingest']}"}
    connection.request("POST", "/api/ingest", body=iter([b"abc"]), headers=headers, encode_chunked=True)
    assert connection.getresponse().status == 411


def test_a_broken_off_body_changes_nothing(url: str, tokens: dict[str, str]) -> None:
    data = segment("half", 3)
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    connection.putrequest("POST", "/api/ingest")
    connection.putheader("Authorization", f"Bearer {tokens['ingest']}")
    connection.putheader("Content-Length", str(len(data)))
    connection.endheaders(data[: len(data) // 2])
    connection.close()
    assert send(url, data, tokens["ingest"])[1]["result"]["accepted"] == 3


def test_the_page_stays_and_the_route_is_off_by_default(url: str, tmp_path: Path, tokens: dict[str, str]) -> None:
    Warehouse.open(tmp_path / "w.duckdb", command="test").close()
    with dashboard(tmp_path / "w.duckdb") as plain:
        assert send(plain, b"x", tokens["ingest"])[0] in (404, 405)


@pytest.fixture
def folder(tmp_path: Path, tokens: dict[str, str]) -> Path:
    (tmp_path / "token").write_text(tokens["ingest"] + "\n")
    (tmp_path / "token").chmod(0o600)
    (tmp_path / "docs.jsonl").write_text('{"id": "p1", "text": "one"}\n{"id": "p2", "text": "two"}\n{"id": 3}\n')
    return tmp_path


@pytest.fixture
def push(folder: Path, ragsieve: Callable[..., Result]) -> Callable[..., Result]:
    """Send as a scanner would that has no warehouse."""

    def call(url: str, *arguments: str) -> Result:
        done = ragsieve("ingest", "--url", url, "--token-file", "token", *arguments)
        assert "Traceback" not in done.stderr
        assert not (folder / "ragsieve.duckdb").exists()
        return done

    return call


def test_ingest_from_another_machine(url: str, push: Callable[..., Result]) -> None:
    first = push(url, "--corpus", "pushed", "docs.jsonl", "--json")
    assert first.exit_code == 1, first.stderr
    counts = json.loads(first.stdout)
    assert (counts["accepted"], counts["rejected"], counts["rejects_file"]) == (2, 1, None)
    assert "the list lies with the owner" in first.stderr
    again = json.loads(push(url, "--corpus", "pushed", "docs.jsonl", "--json").stdout)
    assert (again["accepted"], again["duplicates"], again["snapshot"]) == (0, 2, counts["snapshot"])


def test_ingest_over_http_says_what_is_wrong(
    url: str, folder: Path, tokens: dict[str, str], push: Callable[..., Result]
) -> None:
    given = ("--corpus", "pushed", "docs.jsonl")
    far = push("http://scanner.example:8501", *given)
    assert (far.exit_code, "would show the token" in far.stderr, "ssh -N -L" in far.stderr) == (2, True, True)
    (folder / "token").chmod(0o644)
    assert "chmod 600" in push(url, *given).stderr
    (folder / "token").chmod(0o600)
    (folder / "token").write_text(tokens["gate"])
    (folder / "docs.jsonl").write_text('{"id": "p9", "text": "nine"}\n')
    refused = push(url, *given)
    assert (refused.exit_code, "status 403" in refused.stderr) == (2, True)
    (folder / "token").write_text("rgs.token_x.y")
    unknown = push(url, *given)
    assert (unknown.exit_code, "no valid token" in unknown.stderr) == (2, True)
