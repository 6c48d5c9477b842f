from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def _empty_hub_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))


@pytest.mark.models
def test_list_shows_every_profile_and_role(ragsieve: Run) -> None:
    result = ragsieve("models", "list", "--json")
    assert result.exit_code == 0
    rows = json.loads(result.stdout)["models"]
    assert {row["profile"] for row in rows} == {"embedded", "paper", "paper-e5-large-v2", "paper-all-minilm-l6-v2"}
    minilm = rows[0]
    assert (minilm["role"], minilm["bytes"], minilm["verified"]) == ("retriever", 90_868_376, True)
    missing = {row["model"] for row in rows if row["state"] == "missing"}
    assert missing == {"BAAI/bge-m3", "intfloat/e5-large-v2", "Qwen/Qwen3-0.6B-Base", "google-bert/bert-base-uncased"}


@pytest.mark.models
def test_the_table_names_what_is_missing_and_how_to_get_it(ragsieve: Run) -> None:
    result = ragsieve("models", "list")
    assert result.exit_code == 0
    assert "no: missing" in result.stdout
    assert "BAAI/bge-m3: get it: ragsieve models prepare --profile paper --download" in result.stderr


@pytest.mark.models
def test_verify_passes_for_embedded_and_fails_for_what_is_missing(ragsieve: Run) -> None:
    good = ragsieve("models", "verify", "--json")
    assert (good.exit_code, json.loads(good.stdout)["usable"]) == (0, True)
    bad = ragsieve("models", "verify", "--profile", "paper", "--json")
    assert (bad.exit_code, json.loads(bad.stdout)["usable"]) == (4, False)


def test_prepare_without_the_model_says_how_to_get_it(ragsieve: Run) -> None:
    result = ragsieve("models", "prepare", "--profile", "paper")
    assert result.exit_code == 4
    assert "Traceback" not in result.output
    assert "ragsieve models prepare --profile paper --download" in result.stderr


def test_an_unknown_profile_is_answered_with_the_nearest(ragsieve: Run) -> None:
    result = ragsieve("models", "verify", "--profile", "embeded")
    assert result.exit_code == 2
    assert "did you mean 'embedded'" in result.stderr


@pytest.mark.models
def test_prepare_makes_embedded_ready(ragsieve: Run) -> None:
    result = ragsieve("models", "prepare", "--json")
    assert result.exit_code == 0
    values = json.loads(result.stdout)
    assert values["profile"] == "embedded"
    assert values["seconds"] >= values["causal_lm_seconds"] >= 0
    assert json.loads(ragsieve("models", "verify", "--json").stdout)["models"][1]["state"] == "verified"


def test_help_loads_no_model_library() -> None:
    code = (
        "import sys; from app.cli.models import models; "
        "print(sorted(set(sys.modules) & {'torch', 'transformers', 'rich', 'huggingface_hub'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert done.stdout.strip() == "[]"
