"""From a model source to a checked folder on this machine."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NoReturn

from ragsieve_core.errors import ModelUnavailableError
from ragsieve_core.models.gguf_cache import FORMAT, converted
from ragsieve_core.models.offline import prepare_libraries
from ragsieve_core.models.specs import ModelSource
from ragsieve_core.models.weights import settings_sha256, weights_sha256

_HUB_FILES = ["*.json", "*.safetensors", "*.txt", "*.model", "*.jinja"]
_HUB_NOT = ["onnx/*", "openvino/*", "*/onnx/*", "*/openvino/*"]


@dataclass(frozen=True)
class ModelFiles:
    """A model folder whose weights have been checked.

    Attributes
    ----------
    folder : holds config.json, safetensors and tokenizer files.
    root : what was located; above ``folder`` where a sentence-transformers model keeps its transformer in a subfolder.
    source : where it came from.
    weights : SHA-256 of the weights: those of the source file (GGUF) or of the safetensors.
    """

    folder: Path
    root: Path
    source: ModelSource
    weights: str

    @cached_property
    def identity(self) -> str:
        """``weights=…,files=…``: first 16 hex digits each of the weights' and the settings' hash."""
        if self.source.path.endswith(".gguf"):
            return f"weights={self.weights[:16]},files=gguf-v{FORMAT}"
        return f"weights={self.weights[:16]},files={settings_sha256(self.folder)[:16]}"


def resolve(source: ModelSource, *, allow_download: bool = False) -> ModelFiles:
    """Find the model, convert it if it is a GGUF file, and check its hash.

    Parameters
    ----------
    source : what to look for.
    allow_download : fetch a hub model that is not in the local hub cache; nothing is fetched otherwise.

    Raises
    ------
    ModelUnavailableError : not on this machine, not the expected weights, or only pickled weights; the message names
        the ways to get it.
    """
    place = locate(source, allow_download=allow_download)
    if place is None:
        _unavailable(source)
    if place.suffix == ".gguf":
        folder = converted(place, source.sha256)
        return ModelFiles(folder, folder, source, source.sha256)
    folder = transformer_folder(place)
    if not (folder / "config.json").is_file():
        raise ModelUnavailableError("no config.json, so this is not a model folder", where=str(place), do=_ways(source))
    found = weights_sha256(folder)
    if source.sha256 and found != source.sha256:
        raise ModelUnavailableError(
            "the weights are not the expected ones",
            where=str(place),
            expected=f"SHA-256 {source.sha256}, not {found}",
            do=f"install the model again: {source.obtain}" if source.obtain else "get the model again",
        )
    return ModelFiles(folder, place, source, found)


def transformer_folder(place: Path) -> Path:
    """The folder with config.json: the place itself, or the first module of a sentence-transformers model."""
    try:
        modules = json.loads((place / "modules.json").read_text(encoding="utf-8"))
        first = place / str(modules[0]["path"])
    except (OSError, ValueError, LookupError, TypeError):
        return place
    return first if (first / "config.json").is_file() else place


def locate(source: ModelSource, *, allow_download: bool = False) -> Path | None:
    """The folder or GGUF file of a source, unchecked; None where it is not on this machine."""
    if source.kind == "package":
        return _in_package(source)
    if source.kind == "folder":
        folder = Path(source.name)
        return folder if folder.is_dir() else None
    return _in_hub_cache(source, allow_download)


def _in_package(source: ModelSource) -> Path | None:
    # The package is found, not imported: importing it may pull in a runtime that is not installed.
    try:
        found = importlib.util.find_spec(source.name)
    except (ImportError, ValueError):
        return None
    for folder in (found.submodule_search_locations or []) if found else []:
        place = Path(folder) / source.path
        if place.exists():
            return place
    return None


def _in_hub_cache(source: ModelSource, allow_download: bool) -> Path | None:
    prepare_libraries(allow_download=allow_download)
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        return Path(
            snapshot_download(
                source.name,
                revision=source.revision,
                local_files_only=not allow_download,
                allow_patterns=_HUB_FILES,
                ignore_patterns=_HUB_NOT,
            )
        )
    except LocalEntryNotFoundError as error:
        if not allow_download:
            return None
        raise ModelUnavailableError(
            "the model hub cannot be reached", where=source.name, expected="a network connection", do=_ways(source)
        ) from error
    except (HfHubHTTPError, HFValidationError, OSError) as error:
        raise ModelUnavailableError(
            f"the download failed ({type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''})",
            where=source.name,
            do=_ways(source),
        ) from error


def _unavailable(source: ModelSource) -> NoReturn:
    where = {"package": "installed packages", "hub": "the local hub cache", "folder": "this machine"}[source.kind]
    raise ModelUnavailableError(
        f"model {source.label} is not in {where}" if source.kind != "folder" else f"no such folder: {source.name}",
        expected="the model's files on this machine (nothing is downloaded unasked)",
        do=_ways(source),
    )


def _ways(source: ModelSource) -> str:
    own = "give --profile custom a folder that holds the model (config.json, tokenizer, model.safetensors)"
    return f"{source.obtain}; or {own}" if source.obtain else own
