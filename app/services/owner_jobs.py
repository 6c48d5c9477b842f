"""Reading and backing up while the dashboard owns the warehouse: a command asks, the dashboard answers.

The inbox takes data and answers no such question. A request is a small JSON file in the warehouse's own folder (0700),
written by the same user, naming one of :data:`app.services.reading_jobs.JOBS`; none of them changes what is stored.
"""

from __future__ import annotations

import json
import logging
import math
import os
import re
import stat
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.services.owning import DASHBOARD, existing
from app.services.reading_jobs import JOBS
from app.services.waiting import Say, waiting
from ragsieve_core.errors import BusyError, InputError, RagsieveError
from warehouse.database import Warehouse
from warehouse.ids import new_id
from warehouse.inbox import take_in
from warehouse.owner import current_holder
from warehouse.principal import local_principal
from warehouse.side import Side

_log = logging.getLogger("ragsieve.dashboard")
_REQUEST = re.compile(r"^(job_[0-9a-z]{16})\.request$")
_LARGEST = 1 << 20
_POLL_S = 0.1
_OLD_S = 600.0


def run_job(
    path: Path, name: str, arguments: Mapping[str, Any], *, command: str, say: Say, patience_s: float = math.inf
) -> dict[str, Any]:
    """Run a job of :data:`JOBS`: in this process if nobody owns the warehouse, in the dashboard if that owns it.

    Parameters
    ----------
    arguments : JSON values; paths absolute, because the dashboard may run in another folder.
    say : takes one line for the person at the terminal.
    patience_s : seconds to wait for the dashboard's answer.

    Raises
    ------
    BusyError
        another command owns the warehouse: it answers no questions; or the dashboard did not answer in time.
    InputError
        no warehouse, or what the job itself raises.
    """
    file = existing(path)
    while True:
        try:
            with Warehouse.open(file, command=command) as wh:
                # What others left while nobody owned the file counts, as it does for a dashboard
                take_in(wh)
                return JOBS[name](wh, local_principal(), arguments)
        except BusyError as busy:
            holder = current_holder(file)
            if holder is not None and holder.command != DASHBOARD:
                busy.do = "wait for it to end; only the dashboard answers other commands while it runs"
                raise
        answer = _ask(file, {"job": name, "arguments": dict(arguments)}, say, patience_s)
        if answer is not None:
            return answer


def _ask(file: Path, request: Mapping[str, Any], say: Say, patience_s: float) -> dict[str, Any] | None:
    """The dashboard's answer; None where it ended before giving one."""
    side, name = Side(file), new_id("job")
    question = side.folder("tmp") / f"{name}.request"
    reply = side.folder("tmp") / f"{name}.answer"
    text = json.dumps(request).encode()
    side.write(question, lambda stream: stream.write(text))
    started = told = time.monotonic()
    try:
        with waiting(say, to="answer") as on_wait:
            while True:
                try:
                    answer: dict[str, Any] = json.loads(reply.read_bytes())
                except FileNotFoundError:
                    now = time.monotonic()
                    if now - started > patience_s:
                        raise BusyError("the dashboard does not answer", where=str(file), do="try again") from None
                    if now - told >= 0.5:
                        told, holder = now, current_holder(file)
                        if holder is None or holder.command != DASHBOARD:
                            return None
                        on_wait(now - started, holder)
                    time.sleep(0.05)
                    continue
                return _unpacked(answer)
    finally:
        question.unlink(missing_ok=True)
        reply.unlink(missing_ok=True)


def _unpacked(answer: Mapping[str, Any]) -> dict[str, Any]:
    error = answer.get("error")
    if error is None:
        return dict(answer["result"])
    kind = BusyError if error["exit_code"] == BusyError.exit_code else InputError
    raise kind(error["what"], where=error["where"], expected=error["expected"], do=error["do"])


class JobWorker:
    """A thread of the dashboard that answers such requests, one at a time. Join it with :meth:`stop` before closing."""

    def __init__(self, wh: Warehouse) -> None:
        self._wh = wh
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ragsieve-jobs", daemon=True)

    def start(self) -> JobWorker:
        """Begin; returns itself."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Finish the request in work and end."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        folder = self._wh.side.folder("tmp")
        while not self._stop.wait(_POLL_S):
            try:
                found = sorted(entry.name for entry in os.scandir(folder) if _REQUEST.match(entry.name))
                for name in found:
                    self._answer(folder / name)
            except OSError as error:
                _log.warning("a request of a command could not be answered: %s", error)
                self._stop.wait(5.0)

    def _answer(self, request: Path) -> None:
        try:
            wanted = _read(request)
        except FileNotFoundError:
            return
        request.unlink(missing_ok=True)
        if wanted is None:
            return
        answer: dict[str, Any]
        try:
            answer = {"result": JOBS[wanted["job"]](self._wh, local_principal(), wanted["arguments"])}
        except RagsieveError as error:
            answer = {"error": _packed(error)}
        except Exception:  # noqa: BLE001
            # The boundary of this thread: the trace goes to the dashboard's terminal, a sentence to who asked.
            _log.exception("the request of a command failed")
            answer = {"error": _packed(InputError("the dashboard failed on this", do="its terminal has the details"))}
        text = json.dumps(answer, default=str).encode()
        self._wh.side.write(request.with_suffix(".answer"), lambda stream: stream.write(text))


def _packed(error: RagsieveError) -> dict[str, Any]:
    return {name: getattr(error, name) for name in ("what", "where", "expected", "do", "exit_code")}


def _read(request: Path) -> dict[str, Any] | None:
    """A request of this user, or None for anything else; the asker of an old one has gone."""
    descriptor = os.open(request, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid() or status.st_size > _LARGEST:
            return None
        if time.time() - status.st_mtime > _OLD_S:
            return None
        try:
            wanted = json.loads(stream.read(_LARGEST))
            sound = wanted["job"] in JOBS and isinstance(wanted["arguments"], dict)
        except (ValueError, KeyError, TypeError):
            return None
    return dict(wanted) if sound else None
