"""The DuckDB file itself: what may be opened, how it is opened and migrated, and the one safe way to copy it."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb

from warehouse import migrate
from warehouse.errors import SchemaError, StorageError
from warehouse.ids import utc_now
from warehouse.side import Side
from warehouse.storage_errors import storage_error

_MAGIC = (8, b"DUCK")
_CONFIG = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    # A checkpoint inside a commit stalls every writer: the owner folds the log when idle (InboxWorker) and on closing.
    "checkpoint_threshold": "1GB",
}


def check_file(database: Path) -> None:
    """Refuse what DuckDB would overwrite or misread. Plain reading is safe here: DuckDB has not opened the file yet."""
    try:
        with open(database, "rb") as stream:
            head = stream.read(_MAGIC[0] + len(_MAGIC[1]))
    except FileNotFoundError:
        return
    except PermissionError as error:
        raise StorageError("the warehouse may not be read", where=str(database), do="mend its permissions") from error
    if head and head[_MAGIC[0] :] != _MAGIC[1]:
        raise SchemaError("not a DuckDB file", where=str(database), do="choose another --warehouse")
    if not os.access(database, os.W_OK):
        raise StorageError("the warehouse may not be written", where=str(database), do="mend its permissions")
    if not head:
        # A crash before the first write leaves an empty file, which DuckDB takes for a broken one.
        database.unlink()


def connect(side: Side) -> duckdb.DuckDBPyConnection:
    """Open the file, made on first use, and bring its schema up to date; a copy of an older one is kept.

    Raises
    ------
    StorageError, SchemaError, BusyError
        see :mod:`warehouse.storage_errors`.
    """
    existed = side.database.exists()
    try:
        root = duckdb.connect(str(side.database), config=dict(_CONFIG))
    except duckdb.IOException as error:
        raise storage_error(error, side.database) from error
    except duckdb.Error as error:
        raise SchemaError(
            f"the file cannot be opened by this DuckDB ({str(error).splitlines()[0]})",
            where=str(side.database),
            do="restore a backup, or use the version that made it",
        ) from error
    try:
        _settings(root, side)
        waiting = migrate.pending(root, side.database, migrate.shipped())
        if waiting and existed and waiting[0].number > 1:
            copy_database(
                root, side.folder("backups") / f"before-{waiting[0].number:04d}-{utc_now():%Y%m%dT%H%M%S%f}.duckdb"
            )
        for migration in waiting:
            migrate.apply(root, migration)
        if waiting:
            root.execute("CHECKPOINT")
    except duckdb.IOException as error:
        root.close()
        raise storage_error(error, side.database) from error
    except BaseException:
        root.close()
        raise
    return root


def _settings(root: duckdb.DuckDBPyConnection, side: Side) -> None:
    # Analyst SQL and Arrow scans share this instance: it may reach its own folder and nothing else on the machine.
    folder = str(side.root).replace("'", "''")
    root.execute(f"SET temp_directory = '{folder}/tmp/spill'")
    root.execute(f"SET allowed_directories = ['{folder}/']")
    root.execute("SET enable_external_access = false")


def copy_database(root: duckdb.DuckDBPyConnection, target: Path) -> Path:
    """Copy every table and view into a new file while others read and write; returns ``target``.

    ``COPY FROM DATABASE`` is the only safe way: plain copying would drop DuckDB's lock.
    """
    source = root.execute("SELECT current_database()").fetchone()
    quoted_target, quoted_source = str(target).replace("'", "''"), str(source[0] if source else "").replace('"', '""')
    root.execute(f"ATTACH '{quoted_target}' AS copy_target")
    try:
        root.execute(f'COPY FROM DATABASE "{quoted_source}" TO copy_target')
    finally:
        root.execute("DETACH copy_target")
    return target
