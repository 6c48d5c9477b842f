"""A folder of .txt and .md files: one file one document, its id the path inside the folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ragsieve_core.errors import InputError
from ragsieve_core.formats.lines import utf8_blocks
from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.formats.safe_open import DEFAULT_LIMITS, Limits, PathLike, check_regular, read_blocks
from ragsieve_core.formats.showing import show_path
from ragsieve_core.formats.taking import Taker

_MARKDOWN = (".md", ".markdown")
_SUFFIXES = (".txt", *_MARKDOWN)
_COMPRESSED = (".gz", ".zst")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LONGEST_TITLE = 500


def kind_of(name: str) -> str:
    """``text``, ``markdown`` or ``""`` by the end of a file name, a final ``.gz`` or ``.zst`` aside."""
    stem = name.lower()
    for ending in _COMPRESSED:
        stem = stem.removesuffix(ending)
    if not stem.endswith(_SUFFIXES):
        return ""
    return "markdown" if stem.endswith(_MARKDOWN) else "text"


def _atx_heading(line: str) -> str:
    """Text of ``## Heading ##``. By hand: a pattern for it takes quadratic time on a long line of ``#`` and blanks."""
    inner = line.lstrip(" ")
    text = inner.lstrip("#")
    level = len(inner) - len(text)
    if len(line) - len(inner) > 3 or not 1 <= level <= 6 or text[:1] not in (" ", "\t"):
        return ""
    text = text.strip()
    closed = text.rstrip("#")
    return text if closed and closed[-1] not in " \t" else closed.rstrip()


def first_heading(text: str) -> str:
    """First heading of a Markdown text, ``# Heading`` or underlined, outside front matter and code; empty if none."""
    lines = text.split("\n")
    if lines and lines[0].rstrip() == "---":
        end = next((place for place, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), 0)
        lines = lines[end + 1 :] if end else lines
    fence = ""
    for place, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence) and not line.strip(" `~\t"):
                fence = ""
            continue
        if mark:
            fence = mark.group(1)
            continue
        if heading := _atx_heading(line):
            return heading[:_LONGEST_TITLE]
        below = lines[place + 1] if place + 1 < len(lines) else ""
        if line.strip() and not line.startswith(("    ", "\t", ">", "-", "*", "+")) and _UNDERLINE.fullmatch(below):
            return line.strip()[:_LONGEST_TITLE]
    return ""


def _files(folder: Path, below: str = "") -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Entries that count, by name, folders opened one after the other and links never followed."""
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if entry.name.startswith("."):
            continue
        name = f"{below}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from _files(Path(entry.path), f"{name}/")
        elif kind_of(entry.name) or entry.is_symlink():
            yield name, entry


def _content(path: PathLike, limits: Limits) -> bytes | None:
    parts: list[bytes] = []
    size = 0
    for block in utf8_blocks(read_blocks(path, limits)):
        size += len(block)
        if size > limits.max_line_bytes:
            return None
        parts.append(block)
    return b"".join(parts)


def text_folder_batches(
    path: PathLike, taker: Taker, *, rows: int, limits: Limits = DEFAULT_LIMITS
) -> Iterator[RecordBatchColumns]:
    """Every .txt, .md and .markdown file below a folder (also .gz, .zst), as one document each, by name.

    The id is the path inside the folder with ``/``; the title of a Markdown file is its first heading, and its text
    keeps it; ``\\r\\n`` becomes ``\\n``. Names that begin with a dot and other kinds of files are left out. A file
    that may not or cannot be read, and every link, is rejected alone.

    Raises
    ------
    InputError : the folder itself is missing, a link, or may not be read.
    """
    folder = Path(path)
    where = show_path(path)
    if folder.is_symlink():
        raise InputError("is a symbolic link", where=where, expected="a folder", do="pass the folder it points to")
    try:
        for name, entry in _files(folder):
            _take_file(name, entry.path, taker, f"{where.rstrip('/')}/{show_path(name)}", limits)
            if taker.pending >= rows:
                yield taker.flush()
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"the folder cannot be read: {reason}", where=where, expected="a readable folder") from None


def text_file_batches(
    path: PathLike, taker: Taker, *, rows: int, limits: Limits = DEFAULT_LIMITS
) -> Iterator[RecordBatchColumns]:
    """One text or Markdown file as one document; its id is the name of the file.

    Raises
    ------
    InputError : the file cannot be read.
    """
    check_regular(path)
    _take_file(os.path.basename(os.fspath(path)), path, taker, show_path(path), limits)
    if taker.pending >= rows:
        yield taker.flush()


def _take_file(name: str, path: PathLike, taker: Taker, file: str, limits: Limits) -> None:
    try:
        raw = _content(path, limits)
    except InputError as error:
        taker.reject(file, 0, "", error.what, error.expected)
        return
    if raw is None:
        taker.reject(file, 0, "text", f"is longer than {limits.max_line_bytes:,} bytes", "a shorter document")
        return
    try:
        text = raw.decode("utf-8")
        name.encode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        taker.reject(file, line, "text", f"byte {error.start + 1} is not UTF-8", "UTF-8, or a byte order mark", raw)
        return
    except UnicodeEncodeError:
        taker.reject(file, 0, "id", "the name of the file is not UTF-8", "a name that is", raw)
        return
    text = text.replace("\r\n", "\n")
    title = first_heading(text) if kind_of(name) == "markdown" else ""
    taker.take({"id": name, "text": text, "title": title}, file, 1, raw)
