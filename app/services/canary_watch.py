"""The canary of the version in force, run by the owner after each publication, in a thread of its own."""

from __future__ import annotations

import logging
import os
import threading
from typing import TYPE_CHECKING

from app.services.canary import verify_version
from app.services.models import open_models
from ragsieve_core.errors import ModelUnavailableError, RagsieveError
from warehouse.canary import plan, without_canary
from warehouse.database import Warehouse
from warehouse.errors import RefusedError
from warehouse.principal import Principal
from warehouse.refusals import Refusal

if TYPE_CHECKING:
    from ragsieve_core.models.roles import Retriever

VARIABLE = "RAGSIEVE_CANARY_PROFILE"
_LOOK_S = 1.0
_AGAIN_S = 60.0
_log = logging.getLogger("ragsieve.canary")
WATCHER = Principal("ragsieve", "admin", mode="start")
"""Who the replays of the owner are recorded under, as its other idle work."""


class CanaryWatch:
    """Replays what the version in force concerns as soon as no replay of it is stored.

    Questions are searched again with the retriever of the profile in ``RAGSIEVE_CANARY_PROFILE`` (default embedded;
    ``none`` for none); where it is not on this machine the stored rankings are filtered, and each result says so.

    Attributes
    ----------
    problem : why the last attempt failed; empty where it did not. It is tried again after a minute.
    """

    def __init__(self, wh: Warehouse) -> None:
        self._wh = wh
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ragsieve-canary", daemon=True)
        self.problem = ""

    def start(self) -> CanaryWatch:
        """Begin; returns itself."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Finish the replay in work and end."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(_LOOK_S):
            try:
                version = without_canary(self._wh, principal=WATCHER)
                if version is not None:
                    replay(self._wh, version, WATCHER)
                self.problem = ""
            except RefusedError as refused:
                # Another version came into force meanwhile: the next look finds that one
                if refused.reason != Refusal.NOT_IN_FORCE:
                    self._failed(refused.render())
            except RagsieveError as error:
                self._failed(error.render())
            except Exception:  # noqa: BLE001
                # The boundary of this thread: the trace goes to the dashboard's terminal, a sentence to the screen.
                _log.exception("the canary replay failed")
                self._failed("it failed; the terminal of `ragsieve serve` has the details")

    def _failed(self, why: str) -> None:
        self.problem = why
        self._stop.wait(_AGAIN_S)


def replay(wh: Warehouse, quarantine_id: str, principal: Principal) -> str:
    """Run the canary of the version in force with the best means at hand; returns the id of the run."""
    # Weights are read only where there is a question to search for
    model = _retriever() if plan(wh, quarantine_id, principal=principal) else None
    return verify_version(wh, quarantine_id, principal=principal, retriever=model).run_id


def _retriever() -> Retriever | None:
    profile = os.environ.get(VARIABLE) or "embedded"
    if profile == "none":
        return None
    try:
        return open_models(profile).retriever
    except ModelUnavailableError as error:
        _log.warning("the canary has no retriever and filters stored rankings: %s", error)
        return None
