"""Backup while others work, restore into a new place, compaction by copy and swap, and removal of what nobody needs."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb

from ragsieve_core import __version__
from ragsieve_core.errors import InputError
from warehouse import audit
from warehouse.database import Warehouse
from warehouse.database_file import copy_database
from warehouse.errors import StorageError
from warehouse.ids import new_id, utc_now
from warehouse.owner import Owner, resolve
from warehouse.principal import Principal
from warehouse.scan_scratch import clear_scratch
from warehouse.side import Side, sync_folder

_MANIFEST = "manifest.json"
_DATABASE = "warehouse.duckdb"
_YOUNG_S = 3600.0
_LISTS_S = 30 * 86400.0


@dataclass(frozen=True, slots=True)
class BackupReport:
    """What a backup holds: folder, files with their SHA-256 (relative names), bytes, head of its audit chain."""

    folder: Path
    files: dict[str, str]
    bytes: int
    audit_sequence: int
    audit_hash: str


def backup(wh: Warehouse, folder: str | os.PathLike[str], *, principal: Principal) -> BackupReport:
    """Copy the warehouse and its embedding files into a new folder while others read and write.

    Everything that was committed when the copy began is in it. ``manifest.json`` is written last: a folder without it
    is no backup.

    Raises
    ------
    InputError
        the folder exists and is not empty.
    StorageError
        no space or no permission there.
    """
    principal.require("admin", "back the warehouse up")
    target = Path(folder)
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(target.iterdir()):
            raise InputError("the folder is not empty", where=str(target), expected="a new or empty folder")
        with wh.maintaining:
            copied = _copy_out(wh, target / _DATABASE)
            segments = _segments_of(copied)
            for name in segments:
                goal = target / name
                goal.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(wh.side.root / name, goal)
        files = {_DATABASE: _digest(copied)} | {name: _digest(target / name) for name in segments}
        wrong = [name for name, digest in segments.items() if files[name] != digest]
        if wrong:
            raise StorageError(
                f"an embedding file is damaged: {wrong[0]}", where=str(wh.side.root), do="ragsieve doctor"
            )
        head = _head_of(copied)
        manifest = {
            "version": __version__,
            "made_at": utc_now().isoformat(),
            "files": files,
            "audit_sequence": head[0],
            "audit_hash": head[1],
        }
        (target / _MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        sync_folder(target)
    except OSError as error:
        raise StorageError(f"the backup failed ({error.strerror})", where=str(target), do="another folder") from error
    size = sum((target / name).stat().st_size for name in files)
    wh.run_transaction(
        lambda cursor: audit.append(
            cursor, principal.identity, "backed_up", new_id("backup"), {"files": len(files), "audit": head[0]}
        )
    )
    return BackupReport(target, files, size, head[0], head[1])


def _copy_out(wh: Warehouse, target: Path) -> Path:
    # DuckDB may write inside its own folder only; the finished copy, a file nobody has open, is moved from there.
    inside = wh.side.folder("tmp") / f"{new_id('copy')}.duckdb"
    try:
        cursor = wh.cursor()
        try:
            copy_database(cursor, inside)
        except duckdb.IOException as error:
            raise StorageError(f"the copy failed ({str(error).splitlines()[0]})", where=str(inside)) from error
        finally:
            cursor.close()
        shutil.move(inside, target)
    finally:
        inside.unlink(missing_ok=True)
        Path(f"{inside}.wal").unlink(missing_ok=True)
    return target


def _segments_of(database: Path) -> dict[str, str]:
    with duckdb.connect(str(database), read_only=True) as connection:
        return dict(connection.execute("SELECT file, segment_id FROM embedding_segments ORDER BY file").fetchall())


def _head_of(database: Path) -> tuple[int, str]:
    with duckdb.connect(str(database), read_only=True) as connection:
        found = connection.execute("SELECT sequence, hash FROM audit_log ORDER BY sequence DESC LIMIT 1").fetchall()
    return (int(found[0][0]), str(found[0][1])) if found else (0, audit.GENESIS)


def _digest(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_manifest(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """Manifest of a backup, every file of it checked against its hash.

    Raises
    ------
    InputError
        no backup, a file is missing, or its bytes have changed.
    """
    source = Path(folder)
    try:
        manifest: dict[str, Any] = json.loads((source / _MANIFEST).read_text(encoding="utf-8"))
        files = {str(name): str(digest) for name, digest in manifest["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"no backup ({error})", where=str(source), expected=f"a folder with {_MANIFEST}") from error
    for name, digest in files.items():
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise InputError(f"a backup that names a file outside its folder: {name}", where=str(source))
        try:
            found = _digest(source / name)
        except OSError as error:
            raise InputError(f"a file of the backup is gone: {name}", where=str(source)) from error
        if found != digest:
            raise InputError(f"a file of the backup has changed: {name}", where=str(source), do="use another backup")
    return manifest


def restore(folder: str | os.PathLike[str], path: str | os.PathLike[str]) -> Path:
    """Make a warehouse at ``path`` from a backup; nothing that exists is overwritten. Returns the resolved path.

    Raises
    ------
    InputError
        no sound backup, or a warehouse exists at ``path``.
    BusyError
        another process is making one there.
    """
    manifest = read_manifest(folder)
    database = resolve(path)
    side = Side(database)
    owner = Owner.acquire(database, "ragsieve restore")
    try:
        if database.exists() or any(side.folder("embeddings").glob("*/*")):
            raise InputError("a warehouse exists here", where=str(database), expected="a new name", do="another name")
        side.create()
        for name in manifest["files"]:
            if name != _DATABASE:
                goal = side.root / name
                goal.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                shutil.copyfile(Path(folder) / name, goal)
        # The database last, by rename: before that there is no warehouse, after it a whole one.
        waiting = side.folder("tmp") / "restored.duckdb"
        shutil.copyfile(Path(folder) / _DATABASE, waiting)
        with open(waiting, "rb") as stream:
            os.fsync(stream.fileno())
        os.replace(waiting, database)
        sync_folder(database.parent)
    except OSError as error:
        raise StorageError(
            f"the restore failed ({error.strerror})", where=str(database), do="mend it, then again"
        ) from error
    finally:
        owner.release()
    return database


@dataclass(frozen=True, slots=True)
class Compaction:
    """Bytes of the file before and after."""

    before: int
    after: int


def compact(path: str | os.PathLike[str], *, principal: Principal, command: str = "ragsieve compact") -> Compaction:
    """Rewrite the file without the space that deletions left; needs the lock, so that no owner may run.

    The new file takes the place of the old one by rename, after its tables were counted against the old ones: a kill at
    any moment leaves one of the two, whole.
    """
    principal.require("admin", "compact the warehouse")
    database = resolve(path)
    with Warehouse.open(database, command=command) as wh:
        wh.run_transaction(lambda cursor: audit.append(cursor, principal.identity, "compacted", database.name, {}))
        wh.checkpoint()
        before = database.stat().st_size
        copied = _copy_out(wh, wh.side.folder("tmp") / "compacted.duckdb")
        with duckdb.connect(str(copied), read_only=True) as connection:
            new = _counts(connection)
        with wh.reading() as cursor:
            old = _counts(cursor)
        if new != old:
            copied.unlink()
            raise StorageError("the copy differs from the warehouse", where=str(database), do="report this")
        wh.swap(copied)
    return Compaction(before, database.stat().st_size)


def _counts(cursor: duckdb.DuckDBPyConnection) -> dict[str, int]:
    names = [row[0] for row in cursor.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()]
    return {name: int(cursor.execute(f'SELECT count(*) FROM "{name}"').fetchall()[0][0]) for name in sorted(names)}


@dataclass(frozen=True, slots=True)
class Collected:
    """What :func:`gc` removed: orphaned embedding files, snapshot exports, temporaries and refused files, bytes; blocks
    of unfinished scans, and neighbour lists that no scan has written for a month.
    """

    embeddings: int
    exports: int
    temporaries: int
    bytes: int
    blocks: int = 0
    lists: int = 0


def gc(
    wh: Warehouse, *, principal: Principal, older_s: float = _YOUNG_S, exports_older_s: float = 86400.0
) -> Collected:
    """Remove files that no row refers to and exports that can be written again; never a row, never a referenced file.

    Parameters
    ----------
    older_s : younger files may belong to an ingest that has not committed yet and stay.
    """
    principal.require("admin", "collect garbage")
    counts = {"embeddings": 0, "exports": 0, "temporaries": 0, "bytes": 0, "blocks": 0, "lists": 0}

    def remove(file: Path, kind: str) -> None:
        counts["bytes"] += file.stat().st_size
        file.unlink()
        counts[kind] += 1

    now = time.time()
    with wh.maintaining:
        with wh.reading() as cursor:
            registered = {row[0] for row in cursor.execute("SELECT file FROM embedding_segments").fetchall()}
        for file in sorted(wh.side.folder("embeddings").rglob("*.npy")):
            if wh.side.relative(file) not in registered and now - file.stat().st_mtime > older_s:
                remove(file, "embeddings")
        for folder in sorted(wh.side.folder("snapshots").iterdir()):
            marker = folder / _MANIFEST if (folder / _MANIFEST).exists() else folder
            if folder.is_dir() and now - marker.stat().st_mtime > exports_older_s:
                # The manifest first: without it a reader sees no export.
                for file in sorted(folder.iterdir(), key=lambda entry: entry.name != _MANIFEST):
                    remove(file, "exports")
                folder.rmdir()
        counts["blocks"], size = clear_scratch(wh.side, older_s)
        counts["bytes"] += size
        for file in sorted(wh.side.folder("neighbors").glob("*/*.npz")):
            # Every scan of a corpus writes its lists anew; what none has written for a month no scan looks for
            if now - file.stat().st_mtime > max(older_s, _LISTS_S):
                remove(file, "lists")
        for name in ("tmp", "refused"):
            for file in wh.side.folder(name).iterdir():
                if file.is_file() and not file.is_symlink() and now - file.stat().st_mtime > older_s:
                    remove(file, "temporaries")
    collected = Collected(**counts)
    if any(counts.values()):
        wh.run_transaction(
            lambda cursor: audit.append(cursor, principal.identity, "garbage_collected", "files", asdict(collected))
        )
    return collected
