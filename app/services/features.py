"""The feature cache of a command: in memory always, on disk beside the warehouse unless it was turned off."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.services.waiting import Say
from ragsieve_core.errors import InputError
from ragsieve_core.models.feature_cache import DEFAULT_DISK, DEFAULT_MEMORY, DiskTier, Features
from warehouse.owner import resolve
from warehouse.side import Side

if TYPE_CHECKING:
    from ragsieve_core.models.loading import LoadedModels

FOLDER = "RAGSIEVE_FEATURES"
LIMIT = "RAGSIEVE_FEATURES_LIMIT"


@dataclass(frozen=True, slots=True)
class CacheOptions:
    """What a user may say about the cache.

    Attributes
    ----------
    enabled : False keeps features in memory for this run only; scores do not change.
    folder : of the disk tier; None = ``RAGSIEVE_FEATURES``, else ``features`` in the warehouse's own folder.
    """

    enabled: bool = True
    folder: Path | None = None


def features_folder(warehouse: Path, given: Path | None = None) -> Path:
    """Where the disk tier of a warehouse lies: as given, as ``RAGSIEVE_FEATURES`` says, or beside it."""
    named = os.environ.get(FOLDER)
    if given is not None:
        return given
    return Path(named).expanduser() if named else Side(resolve(warehouse)).root / "features"


def disk_limit() -> int:
    """Bytes that disk tiers may hold: ``RAGSIEVE_FEATURES_LIMIT``, else 20 GiB.

    Raises
    ------
    InputError : not a positive whole number.
    """
    named = os.environ.get(LIMIT)
    if not named:
        return DEFAULT_DISK
    if not named.isdecimal() or int(named) < 1:
        raise InputError(f"{named!r} is not a number of bytes", where=LIMIT, expected="a whole number, 1 or more")
    return int(named)


def open_features(
    models: LoadedModels,
    warehouse: Path,
    *,
    options: CacheOptions | None = None,
    say: Say | None = None,
    limit: int | None = None,
    memory: int = DEFAULT_MEMORY,
) -> Features:
    """Features of a profile's models.

    Parameters
    ----------
    warehouse : its file; it need not be open, and its owner may be another process.
    options : what the user said; None = the default.
    say : told where the folder beside the warehouse cannot be used: the command then goes on without it.
    limit, memory : bytes of the disk and the memory tier.

    Raises
    ------
    InputError : a folder that the user named cannot be used.
    """
    chosen = options or CacheOptions()
    disk = None
    if chosen.enabled:
        folder = features_folder(warehouse, chosen.folder)
        try:
            disk = DiskTier(folder, limit or disk_limit())
        except InputError as error:
            if chosen.folder is not None or os.environ.get(FOLDER) or say is None or error.where == LIMIT:
                raise
            say(f"features are not kept on disk: {error.what} ({folder})")
    return Features(lambda: models.causal_lm, lambda: models.trace_encoder, memory=memory, disk=disk)


def forget_features(warehouse: Path, contents: Sequence[str]) -> int:
    """Erase features of texts by content hash, on disk and in every process that uses this folder; entries that went.

    Raises
    ------
    InputError : the folder is there and cannot be used.
    """
    folder = features_folder(warehouse)
    return DiskTier(folder, disk_limit()).forget(contents) if folder.is_dir() and contents else 0
