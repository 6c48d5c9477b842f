"""What is on this machine of a profile, and whether it is what it should be."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ragsieve_core.errors import ModelUnavailableError
from ragsieve_core.models.gguf_cache import entry_path, is_intact
from ragsieve_core.models.sources import locate, resolve, transformer_folder
from ragsieve_core.models.specs import ModelProfile, ModelSource
from ragsieve_core.models.weights import sha256_file, weight_files

State = Literal["verified", "not pinned", "not converted", "missing", "wrong"]

_BLOB_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """One role of one profile.

    Attributes
    ----------
    profile, role, model : names.
    found : folder or file; empty where missing.
    bytes : size of the weights; 0 where missing.
    state : ``verified`` (the hash known beforehand, or the hub's own, matches), ``not pinned`` (there, but no hash is
        known to hold it against), ``not converted`` (a verified GGUF file whose conversion is not in the cache, or is
        damaged there: the next use makes it), ``missing``, or ``wrong`` (unreadable, pickled, or another hash).
    problem : what is wrong and what to do; empty where nothing is.
    """

    profile: str
    role: str
    model: str
    found: str
    bytes: int
    state: State
    problem: str = ""

    @property
    def usable(self) -> bool:
        """Whether the role can be loaded without a download."""
        return self.state not in ("missing", "wrong")


def roles_of(profile: ModelProfile) -> dict[str, ModelSource]:
    """Source of each role, in the order retriever, causal LM, trace encoder."""
    return {
        "retriever": profile.retriever.source,
        "causal_lm": profile.causal_lm.source,
        "trace_encoder": profile.trace_encoder.source,
    }


def survey(profiles: Iterable[ModelProfile]) -> list[ModelStatus]:
    """Every role of the profiles, each model hashed once. Nothing is downloaded, converted or loaded."""
    known: dict[ModelSource, tuple[str, int, State, str]] = {}
    rows = []
    for profile in profiles:
        for role, source in roles_of(profile).items():
            if source not in known:
                known[source] = _inspect(source)
            rows.append(ModelStatus(profile.name, role, source.label, *known[source]))
    return rows


def prepare(
    profile: ModelProfile, *, allow_download: bool = False, step: Callable[[str], None] | None = None
) -> dict[str, float]:
    """Make every role of a profile ready: fetch (only where allowed), convert, check.

    Parameters
    ----------
    profile : what to prepare.
    allow_download : contact the model hub for what is missing.
    step : called with a line of text before each model.

    Returns
    -------
    Seconds by role; roles that share a model cost nothing the second time.

    Raises
    ------
    ModelUnavailableError : a model cannot be had.
    """
    seconds: dict[str, float] = {}
    done: set[ModelSource] = set()
    for role, source in roles_of(profile).items():
        begun = time.perf_counter()
        if source not in done:
            if step is not None:
                step(f"{role}: {source.label}")
            resolve(source, allow_download=allow_download)
            done.add(source)
        seconds[role] = time.perf_counter() - begun
    return seconds


def _inspect(source: ModelSource) -> tuple[str, int, State, str]:
    place = locate(source)
    if place is None:
        return "", 0, "missing", f"get it: {source.obtain}" if source.obtain else "not on this machine"
    try:
        return _check_gguf(place, source) if place.suffix == ".gguf" else _check_folder(place, source)
    except (ModelUnavailableError, OSError) as error:
        return str(place), 0, "wrong", str(error)


def _check_gguf(place: Path, source: ModelSource) -> tuple[str, int, State, str]:
    size = place.stat().st_size
    found = sha256_file(place)
    if found != source.sha256:
        return str(place), size, "wrong", _mismatch(source, found)
    entry = entry_path(place, source.sha256)
    if is_intact(entry, source.sha256):
        return str(place), size, "verified", ""
    return str(place), size, "not converted", "its first use converts it; or: ragsieve models prepare"


def _check_folder(place: Path, source: ModelSource) -> tuple[str, int, State, str]:
    files = weight_files(transformer_folder(place))
    size = sum(path.stat().st_size for path in files)
    pinned = [source.sha256] if source.sha256 else [_hub_hash(path) for path in files]
    if not all(pinned):
        return str(place), size, "not pinned", ""
    for path, expected in zip(files, pinned, strict=True):
        found = sha256_file(path)
        if found != expected:
            return str(place), size, "wrong", _mismatch(source, found)
    return str(place), size, "verified", ""


def _hub_hash(path: Path) -> str:
    # In the hub cache a weights file is a link to a blob named by the SHA-256 that the hub states for it.
    name = path.resolve().name
    return name if path.is_symlink() and _BLOB_HASH.fullmatch(name) else ""


def _mismatch(source: ModelSource, found: str) -> str:
    again = f"; install it again: {source.obtain}" if source.obtain else ""
    return f"SHA-256 is {found[:16]}…, not the expected one{again}"
