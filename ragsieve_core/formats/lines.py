"""Lines of a text file as UTF-8 bytes, numbered from 1, never guessed at.

A byte order mark decides: UTF-8, UTF-16 or UTF-32, either end first; without one the file is UTF-8. ``\\n`` and
``\\r\\n`` end a line, also mixed in one file. A lone ``\\r`` does not, nor do U+2028 and its like: JSON treats ``\\r``
as white space between tokens and forbids it inside strings, so cutting there could only tear records apart.
"""

from __future__ import annotations

import codecs
from collections.abc import Generator, Iterable, Iterator

from ragsieve_core.formats.safe_open import DEFAULT_LIMITS, Limits, PathLike, read_blocks

_MARKS = (
    (codecs.BOM_UTF8, ""),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with the one of UTF-16-LE
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LONGEST_MARK = 4


def _mark_undecodable(error: UnicodeError) -> tuple[str, int]:
    """A lone surrogate in place of an undecodable unit: as UTF-8 it is invalid, so its line is rejected later."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "\udcff", error.end


codecs.register_error("ragsieve-mark", _mark_undecodable)


def utf8_blocks(blocks: Iterable[bytes]) -> Generator[bytes, None, None]:
    """The same text as UTF-8 without its byte order mark; what was not text becomes an invalid sequence."""
    source = iter(blocks)
    head = b""
    for block in source:
        head += block
        if len(head) >= _LONGEST_MARK:
            break
    mark, encoding = next(((mark, name) for mark, name in _MARKS if head.startswith(mark)), (b"", ""))
    head = head[len(mark) :]
    if not encoding:
        if head:
            yield head
        yield from source
        return
    decoder = codecs.getincrementaldecoder(encoding)("ragsieve-mark")
    yield decoder.decode(head).encode("utf-8", "surrogatepass")
    for block in source:
        yield decoder.decode(block).encode("utf-8", "surrogatepass")
    yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")


def split_lines(blocks: Iterable[bytes], max_line_bytes: int) -> Iterator[tuple[int, bytes | None]]:
    """Yield ``(line number, line without its end)``; ``None`` stands for a line above ``max_line_bytes``.

    A line that is too long is skipped as it streams by, never held.
    """
    number = 1
    pending: list[bytes] = []
    size = 0
    for block in blocks:
        first, *rest = block.split(b"\n")
        size += len(first)
        if size <= max_line_bytes:
            pending.append(first)
        else:
            pending.clear()
        if not rest:
            continue
        yield number, None if size > max_line_bytes else b"".join(pending).removesuffix(b"\r")
        last = rest.pop()
        for line in rest:
            number += 1
            yield number, line.removesuffix(b"\r") if len(line) <= max_line_bytes else None
        number += 1
        size = len(last)
        pending = [last] if size <= max_line_bytes else []
    if size > max_line_bytes:
        yield number, None
    elif size:
        yield number, b"".join(pending).removesuffix(b"\r")


def read_lines(path: PathLike, limits: Limits = DEFAULT_LIMITS) -> Iterator[tuple[int, bytes | None]]:
    """Lines of a plain, gzip or zstd file as ``(number, UTF-8 bytes or None if too long)``.

    Raises
    ------
    InputError : as :func:`~ragsieve_core.formats.safe_open.read_blocks`.
    """
    yield from split_lines(utf8_blocks(read_blocks(path, limits)), limits.max_line_bytes)
