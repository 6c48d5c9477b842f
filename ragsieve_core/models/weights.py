"""Hashes of model files, and the rule that only safetensors are read."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ragsieve_core.errors import ModelUnavailableError

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
_PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack")
# Everything beside the weights that can change a vector or a likelihood.
_SETTINGS = (
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "sentencepiece.bpe.model",
    "spiece.model",
    "tokenizer.model",
)


def sha256_file(path: Path) -> str:
    """SHA-256 of a file, lower-case hex."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files of a model folder, sorted by name.

    Raises
    ------
    ModelUnavailableError : none there; pickled weights are named but never opened, because reading them runs code.
    """
    single = folder / WEIGHTS
    if single.is_file():
        return [single]
    shards = sorted(folder.glob("model-*-of-*.safetensors")) if (folder / INDEX).is_file() else []
    if shards:
        return shards
    pickled = sorted(path.name for pattern in _PICKLED for path in folder.glob(pattern))
    raise ModelUnavailableError(
        f"only pickled weights here ({', '.join(pickled)})" if pickled else "no weights here",
        where=str(folder),
        expected=f"{WEIGHTS} (reading pickled weights would run code from the file)",
        do="get the safetensors weights (again), or save the model once with transformers' save_pretrained, "
        "where you trust its weights, and use that folder with --profile custom",
    )


def weights_sha256(folder: Path) -> str:
    """SHA-256 of the weights: of the one file, or of the list of ``name:hash`` lines of several."""
    files = weight_files(folder)
    if len(files) == 1:
        return sha256_file(files[0])
    lines = "".join(f"{path.name}:{sha256_file(path)}\n" for path in files)
    return hashlib.sha256(lines.encode()).hexdigest()


def settings_sha256(folder: Path) -> str:
    """SHA-256 over configuration and tokenizer files of a model folder."""
    lines = [f"{name}:{sha256_file(folder / name)}\n" for name in _SETTINGS if (folder / name).is_file()]
    return hashlib.sha256("".join(lines).encode()).hexdigest()
