"""Tokens and what people say about corpora, from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from ragsieve_core.publication import PublicationReader
from tests.small_warehouse import CORPUS, Small
from warehouse.database import Warehouse
from warehouse.tokens import authenticate


def accepted(path: Path, secret: str) -> bool:
    with Warehouse.open(path, command="test") as wh:
        return authenticate(wh, secret, "ingest") is not None


def test_a_token_is_shown_once_and_works_until_revoked(ragsieve: Callable, stocked: Small) -> None:
    made = json.loads(ragsieve("token", "create", "--name", "scanner 1", "--scope", "ingest", "--json").stdout)
    assert accepted(stocked.path, made["secret"])
    listed = ragsieve("token", "list", "--json").stdout
    secret = made["secret"].split(".")[2]
    assert secret not in listed
    assert json.loads(listed)["tokens"][0]["token_id"] == made["token"]
    assert secret.encode() not in stocked.path.read_bytes()
    asked = ragsieve("token", "revoke", made["token"])
    assert (asked.exit_code, "--yes" in asked.stderr) == (2, True)
    assert ragsieve("token", "revoke", made["token"], "--yes").exit_code == 0
    assert not accepted(stocked.path, made["secret"])
    again = ragsieve("token", "revoke", made["token"], "--yes")
    assert (again.exit_code, "revoked already" in again.stderr) == (2, True)


def test_a_secret_in_a_file_is_not_on_the_screen(ragsieve: Callable, stocked: Small, tmp_path: Path) -> None:
    given = ("token", "create", "--name", "s", "--scope", "ingest", "--secret-file", "t.txt")
    done = ragsieve(*given)
    file = tmp_path / "t.txt"
    assert file.stat().st_mode & 0o777 == 0o600
    secret = file.read_text().strip()
    assert secret.split(".")[2] not in done.output
    assert accepted(stocked.path, secret)
    again = ragsieve(*given)
    assert again.exit_code == 2
    assert len(json.loads(ragsieve("token", "list", "--json").stdout)["tokens"]) == 1


def test_a_failed_token_leaves_no_file(ragsieve: Callable, tmp_path: Path) -> None:
    done = ragsieve("token", "create", "--name", "s", "--scope", "ingest", "--secret-file", "t.txt")
    assert (done.exit_code, "no warehouse here" in done.stderr) == (2, True)
    assert not (tmp_path / "t.txt").exists()


def test_policy_trust_risk_and_admission(ragsieve: Callable, stocked: Small) -> None:
    gate = PublicationReader(f"{stocked.path}.d/published", missing="open")
    done = json.loads(ragsieve("corpus", "policy", CORPUS, "after_review", "--json").stdout)
    assert (done["before"], done["admission"]) == ("at_once", "after_review")
    assert len(gate.read().in_force.unadmitted) == 66
    assert ragsieve("corpus", "admit", CORPUS, "doc-001", "doc-002").exit_code == 0
    assert len(gate.read().in_force.unadmitted) == 64
    assert ragsieve("corpus", "trust", CORPUS, "untrusted", "--contributor", "newcomer").exit_code == 0
    assert ragsieve("corpus", "risk", CORPUS, "3").exit_code == 0
    [found] = json.loads(ragsieve("corpus", "list", "--json").stdout)["corpora"]
    assert (found["admission"], found["risk"][0]["tier"], found["trust"][0]["trust"]) == (
        "after_review",
        3,
        "untrusted",
    )
    assert "untrusted" in ragsieve("corpus", "list").stdout


def test_a_mistyped_corpus_is_not_made(ragsieve: Callable, stocked: Small) -> None:
    for arguments in (
        ("policy", "harbor", "at_once"),
        ("trust", "harbor", "neutral", "--source", "x"),
        ("risk", "harbor", "1"),
        ("admit", "harbor", "doc-001"),
    ):
        done = ragsieve("corpus", *arguments)
        assert (done.exit_code, "did you mean 'harbour'" in done.stderr) == (2, True)
    assert len(json.loads(ragsieve("corpus", "list", "--json").stdout)["corpora"]) == 1
    assert "whose trust?" in ragsieve("corpus", "trust", CORPUS, "neutral").stderr
    assert "no document" in ragsieve("corpus", "admit", CORPUS, "nobody").stderr
