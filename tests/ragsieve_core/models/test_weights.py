from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from ragsieve_core.errors import EXIT_MODEL, ModelUnavailableError
from ragsieve_core.models.weights import settings_sha256, weight_files, weights_sha256


def test_the_hash_of_one_file_is_its_own(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    assert weights_sha256(tmp_path) == hashlib.sha256(b"weights").hexdigest()


def test_shards_are_hashed_together(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors.index.json").write_text("{}")
    for number in (1, 2):
        (tmp_path / f"model-0000{number}-of-00002.safetensors").write_bytes(b"%d" % number)
    assert [path.name[6:11] for path in weight_files(tmp_path)] == ["00001", "00002"]
    before = weights_sha256(tmp_path)
    (tmp_path / "model-00002-of-00002.safetensors").write_bytes(b"3")
    assert weights_sha256(tmp_path) != before


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "model.ckpt"])
def test_pickled_weights_are_refused_by_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(ModelUnavailableError, match=name) as caught:
        weight_files(tmp_path)
    assert "would run code" in str(caught.value)
    assert caught.value.exit_code == EXIT_MODEL


def test_a_folder_without_weights_says_so(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="no weights"):
        weight_files(tmp_path)


def test_the_settings_hash_covers_tokenizer_and_configuration(tmp_path: Path) -> None:
    seen = {settings_sha256(tmp_path)}
    for name in ("config.json", "tokenizer.json", "vocab.txt"):
        (tmp_path / name).write_text("{}")
        seen.add(settings_sha256(tmp_path))
    (tmp_path / "README.md").write_text("not a setting")
    seen.add(settings_sha256(tmp_path))
    assert len(seen) == 4
