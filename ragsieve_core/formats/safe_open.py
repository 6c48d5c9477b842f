"""The only way into an input file: a regular file, not a link, not one of our own live files."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO, NoReturn

from ragsieve_core.errors import InputError
from ragsieve_core.formats.compression import DEFAULT_LIMITS, Limits, plain_blocks
from ragsieve_core.formats.protected import protect, protected_name, unprotect
from ragsieve_core.formats.showing import show_path

__all__ = ["DEFAULT_LIMITS", "Limits", "check_regular", "open_input", "protect", "read_blocks", "unprotect"]

PathLike = str | os.PathLike[str]

_KINDS = (
    (stat.S_ISLNK, "a symbolic link", "pass the file it points to"),
    (stat.S_ISDIR, "a directory", "pass a file in it, or name the format of the folder"),
    (stat.S_ISFIFO, "a FIFO", "write its content to a file first"),
    (stat.S_ISSOCK, "a socket", "write its content to a file first"),
    (stat.S_ISCHR, "a device", "write its content to a file first"),
    (stat.S_ISBLK, "a device", "write its content to a file first"),
)
# A descriptor of a protected file must never be closed by this process (see formats.protected); the few that a
# race could produce stay here until it ends.
_never_close: list[int] = []


def _refuse_kind(path: PathLike, mode: int) -> None:
    for is_kind, name, advice in _KINDS:
        if is_kind(mode):
            raise InputError(f"is {name}", where=show_path(path), expected="a regular file", do=advice)


def _refuse_protected(path: PathLike, status: os.stat_result) -> None:
    name = protected_name((status.st_dev, status.st_ino))
    if name is not None:
        raise InputError(
            f"is the warehouse's own file {show_path(Path(name).name)}",
            where=show_path(path),
            expected="a file that no running warehouse uses",
            do="use `ragsieve export` or `ragsieve backup` to get at what it holds",
        )


def _refuse_error(path: PathLike, error: OSError | ValueError) -> NoReturn:
    where = show_path(path)
    number = error.errno if isinstance(error, OSError) else errno.EINVAL
    if number == errno.ENOENT:
        raise InputError("no such file", where=where, expected="an existing file", do="check the path") from None
    if number == errno.ENOTDIR:
        raise InputError(
            "no such file", where=where, expected="folders on the way to it", do="check the path"
        ) from None
    if number in (errno.EACCES, errno.EPERM):
        raise InputError(
            "may not be read", where=where, expected="read permission", do="check its owner and mode"
        ) from None
    if number == errno.ELOOP:
        raise InputError("is a symbolic link", where=where, expected="a regular file", do=_KINDS[0][2]) from None
    reason = os.strerror(number) if number else str(error)
    raise InputError(f"cannot be opened: {reason}", where=where, expected="a readable regular file") from None


def check_regular(path: PathLike) -> os.stat_result:
    """Status of ``path`` if it may be opened at all; nothing is opened to find out.

    Raises
    ------
    InputError : missing, a link, a directory, FIFO, socket or device, or a protected file, each by name.
    """
    try:
        status = os.lstat(path)
    except (OSError, ValueError) as error:
        _refuse_error(path, error)
    _refuse_kind(path, status.st_mode)
    _refuse_protected(path, status)
    return status


def open_input(path: PathLike) -> BinaryIO:
    """Raw bytes of a regular file. The caller closes it.

    The check before opening keeps the common mistake harmless; the one on the open descriptor decides, because the
    name may have been changed to another file in between.

    Raises
    ------
    InputError : as :func:`check_regular`, or no permission.
    """
    check_regular(path)
    # O_NONBLOCK: opening a FIFO that took the name in the meantime must not wait for a writer.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError) as error:
        _refuse_error(path, error)
    status = os.fstat(descriptor)
    if protected_name((status.st_dev, status.st_ino)) is not None:
        _never_close.append(descriptor)
        _refuse_protected(path, status)
    try:
        _refuse_kind(path, status.st_mode)
    except InputError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb", buffering=0)


def read_blocks(path: PathLike, limits: Limits = DEFAULT_LIMITS) -> Generator[bytes, None, None]:
    """Content of ``path`` in blocks, decompressed if it is gzip or zstd by its magic bytes.

    Raises
    ------
    InputError : as :func:`open_input` and :func:`~ragsieve_core.formats.compression.plain_blocks`, or a read error.
    """
    with open_input(path) as file:
        try:
            yield from plain_blocks(file, where=show_path(path), limits=limits)
        except OSError as error:
            _refuse_error(path, error)
