from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from ragsieve_core.errors import ModelUnavailableError
from ragsieve_core.models.inventory import prepare, survey
from ragsieve_core.models.profiles import PROFILES, custom_profile
from ragsieve_core.models.weights import sha256_file


@pytest.fixture(autouse=True)
def hub_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


@pytest.mark.models
def test_embedded_is_there_and_verified_or_waits_for_its_conversion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSIEVE_CACHE", str(tmp_path / "empty"))
    rows = survey([PROFILES["embedded"]])
    assert [(row.role, row.state) for row in rows] == [
        ("retriever", "verified"),
        ("causal_lm", "not converted"),
        ("trace_encoder", "verified"),
    ]
    assert all(row.usable for row in rows)
    assert [row.bytes for row in rows] == [90_868_376, 98_362_432, 90_868_376]
    assert not (tmp_path / "empty").exists()  # looking changes nothing


def test_missing_wrong_and_unpinned_are_told_apart(tiny_bert: Path, tiny_qwen3: Path, tmp_path: Path) -> None:
    pickled = Path(shutil.copytree(tiny_bert, tmp_path / "pickled"))
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    profile = custom_profile(str(tiny_bert), "org/absent", str(pickled), layer=1)
    rows = survey([profile])
    assert [(row.state, row.usable) for row in rows] == [("not pinned", True), ("missing", False), ("wrong", False)]
    assert "prepare --download" in rows[1].problem
    assert "pickled" in rows[2].problem
    wrong = replace(profile.retriever, source=replace(profile.retriever.source, sha256="0" * 64))
    assert survey([replace(profile, retriever=wrong)])[0].state == "wrong"


def test_the_hash_that_the_hub_states_is_used(tiny_bert: Path, hub_cache: Path) -> None:
    root = hub_cache / "models--org--name"
    snapshot = root / "snapshots" / ("a" * 40)
    shutil.copytree(tiny_bert, snapshot)
    (root / "refs").mkdir()
    (root / "refs" / "main").write_text("a" * 40)
    weights = snapshot / "model.safetensors"
    blob = root / "blobs" / sha256_file(weights)
    blob.parent.mkdir()
    weights.rename(blob)
    weights.symlink_to(blob)
    profile = custom_profile(retriever="org/name")
    assert survey([profile])[0].state == "verified"
    blob.write_bytes(blob.read_bytes()[:-1] + b"x")
    assert survey([profile])[0].state == "wrong"


def test_prepare_stops_at_what_cannot_be_had_and_says_what_it_does(tiny_bert: Path, tiny_qwen3: Path) -> None:
    steps: list[str] = []
    ready = custom_profile(str(tiny_bert), str(tiny_qwen3), str(tiny_bert), layer=1)
    seconds = prepare(ready, step=steps.append)
    assert list(seconds) == ["retriever", "causal_lm", "trace_encoder"]
    assert len(steps) == 2  # retriever and trace encoder are one model
    with pytest.raises(ModelUnavailableError, match="org/absent"):
        prepare(custom_profile(str(tiny_bert), "org/absent"))
