"""One GGUF file, converted once into safetensors and a fast tokenizer in the cache folder.

A cache entry is a folder that appears by rename, complete, with a manifest of what was written; it is checked against
the manifest before use and rebuilt when anything differs.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragsieve_core.errors import ModelUnavailableError
from ragsieve_core.models.cache_dir import cache_dir
from ragsieve_core.models.offline import prepare_libraries, silence_transformers
from ragsieve_core.models.weights import sha256_file

FORMAT = 1
"""Raise when the conversion changes what it writes: old entries are then left alone and new ones made."""

MANIFEST = "manifest.json"

# The conversion swaps functions of the gguf and transformers modules while it runs.
_CONVERTING = threading.Lock()


def entry_path(gguf: Path, sha256: str) -> Path:
    """Folder of the converted model; the name holds the hash of the source and the format of the conversion."""
    return cache_dir() / "models" / f"{gguf.stem}-{sha256[:16]}-v{FORMAT}"


def is_intact(entry: Path, sha256: str) -> bool:
    """Whether every file of a cache entry is the one that was written for the GGUF file of this hash."""
    try:
        manifest = json.loads((entry / MANIFEST).read_text(encoding="utf-8"))
        files = manifest["files"]
        return (
            manifest["format"] == FORMAT
            and manifest["source_sha256"] == sha256
            and {"config.json", "model.safetensors", "tokenizer.json"} <= set(files)
            and all((entry / name).stat().st_size == note["bytes"] for name, note in files.items())
            and all(sha256_file(entry / name) == note["sha256"] for name, note in files.items())
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def converted(gguf: Path, sha256: str) -> Path:
    """Folder with the converted model, made now if it is not in the cache or not intact.

    Parameters
    ----------
    gguf : the file; it is read only when a conversion is needed.
    sha256 : the hash it must have.

    Raises
    ------
    ModelUnavailableError : the file is missing or another one, or the cache folder cannot be written.
    """
    entry = entry_path(gguf, sha256)
    if is_intact(entry, sha256):
        return entry
    if not gguf.is_file():
        raise ModelUnavailableError("no such GGUF file", where=str(gguf))
    found = sha256_file(gguf)
    if found != sha256:
        raise ModelUnavailableError(
            "the GGUF file is not the expected one", where=str(gguf), expected=f"SHA-256 {sha256}, not {found}"
        )
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        with _alone(entry.parent / f".{entry.name}.lock"):
            if is_intact(entry, sha256):  # another process made it while this one waited
                return entry
            _publish(gguf, sha256, entry)
    except OSError as error:
        raise ModelUnavailableError(
            f"the converted model cannot be written ({error.strerror or error})",
            where=str(entry.parent),
            expected="a folder that can be written, with 600 MB free",
            do="set RAGSIEVE_CACHE to another folder",
        ) from error
    return entry


def _publish(gguf: Path, sha256: str, entry: Path) -> None:
    for leftover in entry.parent.glob(f".{entry.name}.tmp-*"):  # of a process that was killed
        shutil.rmtree(leftover, ignore_errors=True)
    work = Path(tempfile.mkdtemp(prefix=f".{entry.name}.tmp-", dir=entry.parent))
    try:
        _convert(gguf, work)
        files = {
            path.name: {"bytes": path.stat().st_size, "sha256": sha256_file(path)} for path in sorted(work.iterdir())
        }
        manifest = {"format": FORMAT, "source": gguf.name, "source_sha256": sha256, "files": files}
        (work / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        for path in work.iterdir():
            _sync(path)
        if entry.exists():
            # Renamed, not removed in place: a process that has it mapped keeps its file.
            os.rename(entry, work / "damaged")
        os.rename(work, entry)
        shutil.rmtree(entry / "damaged", ignore_errors=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _sync(path: Path) -> None:
    with path.open("rb") as handle:
        os.fsync(handle.fileno())


@contextlib.contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Hold an advisory lock; where the platform or file system has none, the rename alone keeps entries whole."""
    with lock.open("a") as handle:
        if sys.platform != "win32":
            import fcntl

            with contextlib.suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _convert(gguf: Path, into: Path) -> None:
    prepare_libraries()
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    silence_transformers()
    with _fast_reading():
        tokenizer: Any = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name, local_files_only=True)
        model: Any = AutoModelForCausalLM.from_pretrained(
            gguf.parent, gguf_file=gguf.name, dtype=torch.float32, local_files_only=True, trust_remote_code=False
        )
    # The weights are plain float32 now; the note that they came from GGUF would stop them from being saved.
    model.hf_quantizer = None
    del model.config.quantization_config
    model.save_pretrained(into)
    tokenizer.save_pretrained(into)


@contextlib.contextmanager
def _fast_reading() -> Iterator[None]:
    """Let transformers read the header of a GGUF file once, and without its own progress bar.

    It asks for it five times, each a walk over 49,152 tokens and their merges, and builds the same table of tensor
    names for every submodule: 40 s instead of 13 on two cores.
    """
    import gguf
    import numpy as np
    from transformers import modeling_gguf_pytorch_utils as reading

    class Reader(gguf.GGUFReader):  # type: ignore[misc]
        data: Any

        def _get(self, *args: Any, **kwargs: Any) -> Any:
            if isinstance(self.data, np.memmap):
                # The same mapped bytes; slicing a plain array costs a fraction of slicing a memmap.
                self.data = self.data.view(np.ndarray)
            return super()._get(*args, **kwargs)

    with _CONVERTING:
        kept = gguf.GGUFReader, gguf.get_tensor_name_map, reading.tqdm
        gguf.GGUFReader = functools.cache(Reader)
        gguf.get_tensor_name_map = functools.cache(gguf.get_tensor_name_map)
        reading.tqdm = _no_bar
        try:
            yield
        finally:
            gguf.GGUFReader, gguf.get_tensor_name_map, reading.tqdm = kept


def _no_bar(items: Any, **_: Any) -> Any:
    return items
