"""What DuckDB and the file system say of a disk, a file or a lock, as errors with what to do about it."""

from __future__ import annotations

from pathlib import Path

import duckdb

from ragsieve_core.errors import BusyError, RagsieveError
from warehouse.errors import SchemaError, StorageError

_FULL = ("No space left", "File too large", "Could not write", "disk quota")


def is_storage(error: BaseException) -> bool:
    """True where the disk or the file is to blame."""
    # A commit that the disk refuses comes as a TransactionException: its text alone tells.
    if isinstance(error, OSError | duckdb.IOException | duckdb.FatalException | duckdb.OutOfMemoryException):
        return True
    return isinstance(error, duckdb.Error) and any(text in str(error) for text in _FULL)


def storage_error(error: BaseException, database: Path) -> RagsieveError:
    """The error for a user: BusyError, SchemaError or StorageError by what was said."""
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    if "Could not set lock" in text:
        return BusyError(
            f"another program has the file open past its owner lock ({text})",
            where=str(database),
            expected="this product alone to open the file",
            do="close that program: a notebook or the duckdb shell can lose what is written here",
        )
    if any(sign in text for sign in _FULL):
        return StorageError(
            f"the disk is full or the file may not grow ({text})",
            where=str(database),
            expected="free space for the warehouse and its log",
            do="free some space and run the command again: nothing of it was stored",
        )
    if "not a valid DuckDB" in text:
        return SchemaError("not a DuckDB file", where=str(database), do="choose another --warehouse")
    if isinstance(error, PermissionError) or "Permission denied" in text or "Read-only" in text or "read-only" in text:
        return StorageError(
            f"no permission to write here ({text})",
            where=str(database),
            do="choose another --warehouse or its permissions",
        )
    return StorageError(f"the warehouse cannot be used ({text})", where=str(database), do="run: ragsieve doctor")
