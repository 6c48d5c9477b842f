"""Long work started from a screen: the same commands as in a terminal, one at a time, in a process of their own.

A job is a folder below ``<warehouse>.d/console``: what was asked, its progress, what it said, how it ended. It survives
a reload, another browser and the end of the dashboard; the command itself hands its result over as any other process
does, so a job that dies leaves nothing half done.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from app.services.progress_file import PROGRESS
from ragsieve_core.errors import BusyError, InputError
from warehouse.chain import append
from warehouse.database import Warehouse
from warehouse.ids import new_id
from warehouse.principal import Principal, Role

KEPT: Final = 50
KINDS: Final[dict[str, Role]] = {"ingest": "approver", "scan": "reviewer"}
"""Command -> role that may start it."""
_guard = threading.Lock()
_watched: set[str] = set()
"""Jobs of this process whose end is not written down yet, whether or not their process is still there."""


@dataclass(frozen=True, slots=True)
class Job:
    """One job as its folder tells it.

    Attributes
    ----------
    state : running, done, rejects (done, with rejected records), failed, cancelled, lost (its process is gone).
    title, done, total : of the step it is in; total 0 where it is not known.
    result : the command's JSON object, None before the end.
    said : last lines of its remarks.
    """

    job_id: str
    kind: str
    what: str
    by: str
    started_at: datetime
    ended_at: datetime | None
    state: str
    title: str
    done: int
    total: int
    result: dict[str, Any] | None
    said: str


def start(wh: Warehouse, kind: str, arguments: Sequence[str], *, what: str, principal: Principal) -> str:
    """Start a command; returns the job's id.

    Parameters
    ----------
    kind : key of :data:`KINDS`.
    arguments : as on the command line, without ``--warehouse`` and ``--json``.
    what : the subject in words, for the list.

    Raises
    ------
    RefusedError
        the caller's role may not start it.
    BusyError
        another job is running.
    """
    principal.require_person(KINDS[kind], f"start `{kind}` from the console")
    with _guard:
        running = [job for job in jobs(wh) if job.state == "running"]
        if running:
            raise BusyError(
                f"`{running[0].kind}` is running already",
                where=running[0].what,
                do="wait until it has ended, or cancel it",
            )
        job_id = new_id("job")
        folder = wh.side.folder("console") / job_id
        folder.mkdir(mode=0o700)
        about = {"kind": kind, "what": what, "by": principal.identity, "started_at": _now().isoformat()}
        _write(folder / "job.json", about)
        wh.run_transaction(
            lambda cursor: append(cursor, principal.identity, "job_started", job_id, {"kind": kind}), urgent=True
        )
        _run(folder, kind, [*arguments, "--warehouse", str(wh.path), "--json"])
        _forget_old(wh)
    return job_id


def cancel(wh: Warehouse, job_id: str, *, principal: Principal) -> bool:
    """Interrupt a running job as Ctrl-C would; False where it has ended already."""
    principal.require_person("reviewer", "cancel a job")
    folder = _folder(wh, job_id)
    # One that is being started has its number when the guard is free
    with _guard:
        if _read(folder).state != "running":
            return False
        _write(folder / "cancelled.json", {"by": principal.identity})
        try:
            os.killpg(int(_json(folder / "pid.json")["pid"]), signal.SIGINT)
        except ProcessLookupError:
            # It ended by itself a moment ago
            (folder / "cancelled.json").unlink()
            return False
    return True


def jobs(wh: Warehouse) -> list[Job]:
    """All jobs that are kept, latest first."""
    folders = sorted((f for f in wh.side.folder("console").glob("job_*") if (f / "job.json").exists()), reverse=True)
    return [_read(folder) for folder in folders]


def upload_folder(wh: Warehouse) -> Path:
    """Where uploaded files stand until their job is forgotten."""
    folder = wh.side.folder("console") / "uploads"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _run(folder: Path, kind: str, arguments: Sequence[str]) -> None:
    environment = {**os.environ, PROGRESS: str(folder / "progress.json"), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-c", "from app.cli.main import main; main()", kind, *arguments]
    _watched.add(folder.name)
    try:
        with (folder / "result.json").open("wb") as out, (folder / "said.txt").open("wb") as said:
            # A group of its own, so that Ctrl-C at the dashboard's terminal does not reach it
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=said, env=environment, start_new_session=True
            )
        _write(folder / "pid.json", {"pid": process.pid, "born": _born(process.pid)})
    except BaseException:
        _watched.discard(folder.name)
        raise

    def wait() -> None:
        try:
            code = process.wait()
            if folder.exists():
                _write(folder / "ended.json", {"code": code, "at": _now().isoformat()})
        finally:
            _watched.discard(folder.name)

    threading.Thread(target=wait, name=f"ragsieve-{folder.name}", daemon=True).start()


def _read(folder: Path) -> Job:
    # Asked before the end is read: what is not watched any more has its end written down, or lost it
    watched = folder.name in _watched
    about, ended, step = _json(folder / "job.json"), _json(folder / "ended.json"), _json(folder / "progress.json")
    said = (
        (folder / "said.txt").read_bytes()[-4000:].decode("utf-8", "replace") if (folder / "said.txt").exists() else ""
    )
    result = _json(folder / "result.json") or None
    return Job(
        folder.name,
        str(about.get("kind", "")),
        str(about.get("what", "")),
        str(about.get("by", "")),
        datetime.fromisoformat(about["started_at"]),
        datetime.fromisoformat(ended["at"]) if ended else None,
        _state(folder, ended, watched),
        str(step.get("title", "")),
        int(step.get("done") or 0),
        int(step.get("total") or 0),
        result,
        said,
    )


def _state(folder: Path, ended: dict[str, Any], watched: bool) -> str:
    if ended:
        code = int(ended["code"])
        if code in (0, 1) and (folder / "result.json").stat().st_size:
            return "rejects" if code else "done"
        return "cancelled" if (folder / "cancelled.json").exists() else "failed"
    started = _json(folder / "pid.json")
    alive = bool(started) and _born(int(started["pid"])) == started["born"] != ""
    return "running" if alive or watched else "lost"


def _born(pid: int) -> str:
    # The start time tells a process from a later one that got the same number
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _folder(wh: Warehouse, job_id: str) -> Path:
    folder = wh.side.folder("console") / job_id
    if folder.parent != wh.side.folder("console") or not (folder / "job.json").exists():
        raise InputError(f"no job {job_id!r}", where="job", do="choose one of the list")
    return folder


def _forget_old(wh: Warehouse) -> None:
    root = wh.side.folder("console")
    for folder in sorted(root.glob("job_*"), reverse=True)[KEPT:]:
        shutil.rmtree(folder)
    # Ids sort by time: what is older than the oldest job that is kept belongs to none
    kept = sorted(root.glob("job_*"))
    for old in (root / "uploads").glob("*"):
        if len(kept) >= KEPT and old.stat().st_mtime < kept[0].stat().st_mtime:
            old.unlink()


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes() or b"{}")
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(path: Path, values: dict[str, Any]) -> None:
    made = path.with_suffix(".part")
    made.write_text(json.dumps(values))
    made.rename(path)


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
