"""gzip and zstd, told by their magic bytes and decompressed in bounded steps under two limits."""

from __future__ import annotations

import zlib
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, BinaryIO

from ragsieve_core.errors import InputError

_BLOCK = 1 << 20
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE = b"\x2a\x4d\x18"
_ZSTD_WINDOW = 1 << 27
# One zstd run-length block turns 4 bytes into 128 KiB: 1 KiB of input can then give 32 MiB at once, no more.
_ZSTD_STEP = 1 << 10


@dataclass(frozen=True, slots=True)
class Limits:
    """What one input may cost.

    Attributes
    ----------
    max_line_bytes : longest line or record, in bytes of UTF-8; a longer one is rejected alone.
    max_bytes : decompressed bytes of one file; more is refused as a zip bomb.
    max_ratio : decompressed over compressed bytes, looked at only once ``ratio_from_bytes`` have come out (a small
        file of equal rows may compress further and harms nobody).
    """

    max_line_bytes: int = 16 << 20
    max_bytes: int = 64 << 30
    max_ratio: float = 200.0
    ratio_from_bytes: int = 64 << 20

    def __post_init__(self) -> None:
        for name in ("max_line_bytes", "max_bytes", "max_ratio", "ratio_from_bytes"):
            if getattr(self, name) <= 0:
                raise InputError(f"limit {name} is {getattr(self, name)}", where=name, expected="a positive number")


DEFAULT_LIMITS = Limits()


def compression_of(head: bytes) -> str:
    """``gzip``, ``zstd`` or ``""`` by the first bytes of a file; the name of the file counts for nothing."""
    if head.startswith(_GZIP):
        return "gzip"
    if head.startswith(_ZSTD) or (head[1:4] == _ZSTD_SKIPPABLE and head[0] & 0xF0 == 0x50):
        return "zstd"
    return ""


class _Meter:
    """Counts both sides and refuses by name what grows too much."""

    def __init__(self, where: str, limits: Limits) -> None:
        self._where = where
        self._limits = limits
        self.taken = 0
        self.given = 0

    def take(self, block: bytes) -> bytes:
        self.taken += len(block)
        return block

    def give(self, block: bytes) -> bytes:
        self.given += len(block)
        limits = self._limits
        if self.given > limits.max_bytes:
            raise InputError(
                f"zip bomb: more than {limits.max_bytes:,} bytes come out of {self.taken:,}",
                where=self._where,
                expected=f"at most {limits.max_bytes:,} decompressed bytes a file",
                do="split the file, or raise the limit if you trust where it comes from",
            )
        if self.given > limits.ratio_from_bytes and self.given > limits.max_ratio * self.taken:
            raise InputError(
                f"zip bomb: {self.taken:,} compressed bytes give {self.given:,} and more",
                where=self._where,
                expected=f"at most {limits.max_ratio:g} times the compressed size",
                do="decompress it yourself and pass the plain file if you trust where it comes from",
            )
        return block


def _damaged(kind: str, where: str, reason: str) -> InputError:
    return InputError(
        f"the {kind} data is damaged: {reason}",
        where=where,
        expected=f"a complete {kind} file",
        do="copy or download the file again; nothing of it is used, since what is missing cannot be known",
    )


def _gzip_blocks(file: BinaryIO, meter: _Meter, where: str) -> Generator[bytes, None, None]:
    pending = b""
    members = 0
    while True:
        pending = pending or meter.take(file.read(_BLOCK))
        # Zero bytes after the last member are tape padding, which gzip itself ignores too.
        if members and not pending.strip(b"\0"):
            if not pending:
                return
            pending = b""
            continue
        decoder = zlib.decompressobj(wbits=31)
        while not decoder.eof:
            pending = pending or meter.take(file.read(_BLOCK))
            if not pending:
                raise _damaged("gzip", where, "it ends early")
            try:
                block = decoder.decompress(pending, _BLOCK)
            except zlib.error as error:
                raise _damaged("gzip", where, str(error).rpartition(": ")[2]) from None
            pending = decoder.unconsumed_tail or decoder.unused_data
            if block:
                yield meter.give(block)
        members += 1


def _zstd_blocks(file: BinaryIO, meter: _Meter, where: str) -> Generator[bytes, None, None]:
    import zstandard

    context = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    decoder: Any = None
    while raw := meter.take(file.read(_BLOCK)):
        for start in range(0, len(raw), _ZSTD_STEP):
            pending = raw[start : start + _ZSTD_STEP]
            while pending:
                decoder = decoder or context.decompressobj()
                try:
                    block = decoder.decompress(pending)
                except zstandard.ZstdError as error:
                    raise _damaged("zstd", where, str(error).rpartition(": ")[2]) from None
                pending = b""
                if decoder.eof:
                    pending = decoder.unused_data
                    decoder = None
                if block:
                    yield meter.give(block)
    if decoder is not None:
        raise _damaged("zstd", where, "it ends early")


def plain_blocks(file: BinaryIO, *, where: str, limits: Limits = DEFAULT_LIMITS) -> Generator[bytes, None, None]:
    """Decompressed content of ``file`` in blocks of at most 32 MiB, mostly 1 MiB.

    Parameters
    ----------
    file : readable and seekable, at its start.
    where : how errors name the file.

    Raises
    ------
    InputError : damaged or incomplete compressed data, or more of it than ``limits`` allow ("zip bomb").
    """
    head = file.read(4)
    file.seek(0)
    kind = compression_of(head)
    if kind == "gzip":
        yield from _gzip_blocks(file, _Meter(where, limits), where)
    elif kind == "zstd":
        yield from _zstd_blocks(file, _Meter(where, limits), where)
    else:
        while block := file.read(_BLOCK):
            yield block
