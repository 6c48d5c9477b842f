"""JSONL output that is there whole or not at all: temporary file, fsync, rename."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NoReturn, Self

from ragsieve_core.errors import InputError
from ragsieve_core.formats.protected import protected_target
from ragsieve_core.formats.safe_open import PathLike
from ragsieve_core.formats.showing import show_path

_BUFFER = 1 << 20


def _plain(value: object) -> object:
    """NumPy scalars and arrays as Python numbers, so that a float32 keeps every digit it has."""
    convert = getattr(value, "tolist", None)
    if convert is None:
        raise TypeError(f"{type(value).__name__} has no JSON form")
    return convert()


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_plain).encode


def json_line(row: Mapping[str, Any]) -> bytes:
    """One row as UTF-8 JSON with its newline; floats in the shortest form that reads back to the same number.

    Raises
    ------
    InputError : a lone surrogate, which has no UTF-8 form, or a number that is NaN or infinite.
    """
    try:
        return (_encode(row) + "\n").encode("utf-8")
    except UnicodeEncodeError:
        raise InputError("a lone surrogate cannot be written", expected="text with a valid UTF-8 form") from None
    except ValueError as error:
        raise InputError(f"a value has no JSON form: {error}", expected="finite numbers") from None


class JsonlWriter:
    """Context manager that writes rows and puts the file in place when the block ends without an error.

    Raises
    ------
    InputError : the target is a link, a folder, a device or a protected file, its folder is missing or may not be
        written, or the disk is full. The old file, if any, is then untouched.
    """

    def __init__(self, path: PathLike) -> None:
        self._path = Path(path)
        self._where = show_path(path)
        self.rows = 0
        _check_target(self._path, self._where)
        self._temporary = self._path.with_name(f".{self._path.name[:100]}.{secrets.token_hex(6)}.tmp")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = os.open(self._temporary, flags, 0o666)
        except OSError as error:
            self._fail(error)
        self._file: BinaryIO = os.fdopen(descriptor, "wb", buffering=_BUFFER)

    def _fail(self, error: OSError) -> NoReturn:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            raise InputError("its folder does not exist", where=self._where, do="create the folder first") from None
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise InputError("may not be written", where=self._where, do="check the folder's owner and mode") from None
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise InputError("the disk is full", where=self._where, do="free some space and run again") from None
        raise InputError(f"cannot be written: {error.strerror or error}", where=self._where) from None

    def write(self, row: Mapping[str, Any]) -> None:
        """Append one row."""
        line = json_line(row)
        try:
            self._file.write(line)
        except OSError as error:
            self._fail(error)
        self.rows += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._publish()
            else:
                # The block's own error is the one to show; a full disk would only repeat itself here.
                with contextlib.suppress(OSError):
                    self._file.close()
        finally:
            self._temporary.unlink(missing_ok=True)

    def _publish(self) -> None:
        try:
            with self._file:
                self._file.flush()
                os.fsync(self._file.fileno())
            os.replace(self._temporary, self._path)
            folder = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            self._fail(error)


def _check_target(path: Path, where: str) -> None:
    if protected_target(path) is not None:
        raise InputError("is the warehouse's own file", where=where, do="write to another file")
    try:
        mode = os.lstat(path).st_mode
    except (OSError, ValueError):
        return
    if stat.S_ISLNK(mode):
        raise InputError("is a symbolic link", where=where, expected="a file or a new name", do="name its target")
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise InputError(f"is {kind}", where=where, expected="a file or a new name", do="write to a file")


def write_jsonl(path: PathLike, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write all rows to ``path`` and return how many; the file appears only once it is complete and on disk."""
    with JsonlWriter(path) as writer:
        for row in rows:
            writer.write(row)
    return writer.rows
