"""Models of the dashboard: loaded once per profile when somebody asks for them, used by one piece of work at a time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.services.background import Tell
from app.services.features import open_features
from app.services.models import open_models
from ragsieve_core.models.feature_cache import Features

if TYPE_CHECKING:
    from ragsieve_core.models.loading import LoadedModels

_log = logging.getLogger("ragsieve.dashboard")
_WAIT_S = 0.5
# Two questions at once would only halve each other's speed, and double the memory of their batches
_one = threading.Lock()
_held: dict[tuple[Path, str], Ready] = {}


@dataclass(frozen=True, slots=True)
class Ready:
    """Models of a profile and the feature cache in front of them."""

    models: LoadedModels
    features: Features


@contextmanager
def console_models(warehouse: Path, profile: str, tell: Tell, *, retriever: bool = True) -> Iterator[Ready]:
    """The models of a profile for one piece of work; waits while other work has them.

    Parameters
    ----------
    tell : told what is being loaded; it raises where the work was cancelled meanwhile.
    retriever : False where no question is encoded.

    Raises
    ------
    InputError : unknown profile.
    ModelUnavailableError : weights that are not on this machine.
    """
    while not _one.acquire(timeout=_WAIT_S):
        tell("waiting for other work with the models", 0, 0)
    try:
        key = (warehouse, profile)
        ready = _held.get(key)
        if ready is None:
            models = open_models(profile)
            ready = Ready(models, open_features(models, warehouse, say=_log.warning))
        tell("loading the retriever", 0, 3)
        if retriever:
            _ = ready.models.retriever
        tell("loading the causal LM", 1, 3)
        _ = ready.models.causal_lm
        tell("loading the trace encoder", 2, 3)
        _ = ready.models.trace_encoder
        # Kept only once everything could be loaded
        _held[key] = ready
        yield ready
    finally:
        _one.release()
