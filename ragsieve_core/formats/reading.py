"""Documents of any known format, as a stream of records or of column batches."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ragsieve_core.errors import InputError, nearest
from ragsieve_core.formats.arrow_ipc import FILE_MAGIC, STREAM_MAGIC, arrow_batches
from ragsieve_core.formats.compression import compression_of
from ragsieve_core.formats.csv_table import csv_batches
from ragsieve_core.formats.jsonl import attack_batches, jsonl_batches
from ragsieve_core.formats.lines import utf8_blocks
from ragsieve_core.formats.mapping import DEFAULT_MAPPING, ColumnMapping
from ragsieve_core.formats.parquet import parquet_batches
from ragsieve_core.formats.records import Record, RecordBatchColumns
from ragsieve_core.formats.rejected import Rejected
from ragsieve_core.formats.release import CORPUS_NAMES
from ragsieve_core.formats.safe_open import DEFAULT_LIMITS, Limits, PathLike, open_input, read_blocks
from ragsieve_core.formats.showing import show_path, show_value
from ragsieve_core.formats.taking import Taker
from ragsieve_core.formats.textfolder import kind_of, text_file_batches, text_folder_batches

FORMATS = ("jsonl", "csv", "tsv", "parquet", "arrow", "text", "beir", "release", "attacks")
_PARQUET_MAGIC = b"PAR1"
_HEAD = 4096


def _folder_format(path: Path) -> str:
    names = {entry.name for entry in path.iterdir()}
    corpus = any(name in names for name in CORPUS_NAMES)
    if corpus:
        return "beir" if "qrels" in names else "release"
    if any(kind_of(name) for name in names) or any(entry.is_dir() for entry in path.iterdir()):
        return "text"
    raise InputError(
        "the folder holds nothing to read",
        where=show_path(path),
        expected="corpus.jsonl (BEIR or release), or .txt and .md files",
        do="pass the files themselves",
    )


def _by_content(path: PathLike, limits: Limits) -> str:
    head = b""
    blocks = utf8_blocks(read_blocks(path, limits))
    for block in blocks:
        head += block
        if head.strip() or len(head) > _HEAD:
            break
    blocks.close()
    first = head.strip()[:1]
    if first == b"[":
        raise InputError(
            "holds one JSON list",
            where=show_path(path),
            expected="JSONL: one object a line",
            do="rewrite it: jq -c '.[]' FILE > FILE.jsonl",
        )
    return "jsonl" if first in (b"{", b"") else ""


def format_of(path: PathLike, limits: Limits = DEFAULT_LIMITS) -> str:
    """Format of a file or folder: by its first bytes where they are telling, else by the end of its name.

    Raises
    ------
    InputError : missing, a link or another thing that is not read, or a format that cannot be told.
    """
    try:
        mode = os.lstat(path).st_mode
    except (OSError, ValueError):
        mode = 0
    if stat.S_ISDIR(mode):
        try:
            return _folder_format(Path(path))
        except OSError as error:
            raise InputError(
                f"the folder cannot be read: {error.strerror}", where=show_path(path), expected="a readable folder"
            ) from None
    with open_input(path) as file:
        head = file.read(8)
    if head.startswith(_PARQUET_MAGIC):
        return "parquet"
    if head.startswith((FILE_MAGIC, STREAM_MAGIC)):
        return "arrow"
    name = os.path.basename(os.fspath(path)).lower()
    if compression_of(head):
        name = name.removesuffix(".gz").removesuffix(".zst").removesuffix(".zstd").removesuffix(".gzip")
    ending = name.rpartition(".")[2] if "." in name else ""
    if ending in ("csv", "tsv"):
        return ending
    if ending in ("jsonl", "ndjson"):
        return "jsonl"
    if kind_of(name):
        return "text"
    if found := _by_content(path, limits):
        return found
    raise InputError(
        "its format cannot be told from its name or content",
        where=show_path(path),
        expected=f"one of {', '.join(FORMATS)}",
        do="name the format",
    )


def _corpus_file(path: PathLike) -> PathLike:
    folder = Path(path)
    if not folder.is_dir():
        return path
    if folder.is_symlink():
        raise InputError("is a symbolic link", where=show_path(path), expected="a folder", do="pass its target")
    for name in CORPUS_NAMES:
        if os.path.lexists(folder / name):
            return folder / name
    raise InputError(
        "the folder holds no corpus", where=show_path(path), expected=" or ".join(CORPUS_NAMES), do="check the path"
    )


def _one(
    path: PathLike, taker: Taker, kind: str, mapping: ColumnMapping, rows: int, limits: Limits
) -> Iterator[RecordBatchColumns]:
    is_folder = os.path.isdir(path)
    readers: dict[str, Callable[[], Iterator[RecordBatchColumns]]] = {
        "jsonl": lambda: jsonl_batches(path, taker, rows=rows, limits=limits),
        "csv": lambda: csv_batches(path, taker, rows=rows, mapping=mapping, limits=limits),
        "tsv": lambda: csv_batches(path, taker, rows=rows, mapping=mapping, limits=limits, delimiter="\t"),
        "parquet": lambda: parquet_batches(path, taker, rows=rows, mapping=mapping, limits=limits),
        "arrow": lambda: arrow_batches(path, taker, rows=rows, mapping=mapping, limits=limits),
        "text": lambda: (text_folder_batches if is_folder else text_file_batches)(
            path, taker, rows=rows, limits=limits
        ),
        "beir": lambda: jsonl_batches(_corpus_file(path), taker, rows=rows, limits=limits),
        "release": lambda: jsonl_batches(_corpus_file(path), taker, rows=rows, limits=limits),
        "attacks": lambda: attack_batches(path, taker, rows=rows, limits=limits),
    }
    return readers[kind]()


def read_batches(
    paths: PathLike | Iterable[PathLike],
    *,
    format: str | None = None,  # noqa: A002 - the name users know from the command line
    mapping: ColumnMapping = DEFAULT_MAPPING,
    rows: int = 10_000,
    limits: Limits = DEFAULT_LIMITS,
) -> Iterator[RecordBatchColumns]:
    """Documents of one or more files or folders, in order, as columns.

    Accepted and rejected records together are all records of the input; what is a duplicate is for the caller to say
    (:mod:`.duplicates`). Ordinals run on over the files. Labels of ``attacks`` are not read.

    Parameters
    ----------
    format : one of :data:`FORMATS`; ``None`` tells it file by file.
    rows : records a batch, rejected ones counted; the last batch, and columnar files, may differ by up to 1,000.

    Raises
    ------
    InputError : an unknown format, a file that cannot be read as a whole, or an input without any record. Files read
        before it have been yielded: take a batch for good only when the stream has ended.
    """
    if format is not None and format not in FORMATS:
        raise InputError(
            f"there is no format {show_value(format)}", where="format", expected=nearest(str(format), FORMATS)
        )
    if rows < 1:
        raise InputError(f"is {rows}", where="rows", expected="at least 1")
    every = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    taker = Taker(mapping, limits)
    for path in every:
        yield from _one(path, taker, format or format_of(path, limits), mapping, rows, limits)
    if taker.pending:
        yield taker.flush()
    if not taker.seen:
        raise InputError(
            "the input holds no document",
            where=", ".join(show_path(path) for path in every[:5]),
            expected="at least one record",
            do="check that this is the input you meant",
        )


def read_records(
    paths: PathLike | Iterable[PathLike],
    *,
    format: str | None = None,  # noqa: A002 - the name users know from the command line
    mapping: ColumnMapping = DEFAULT_MAPPING,
    limits: Limits = DEFAULT_LIMITS,
) -> Iterator[Record | Rejected]:
    """The same as :func:`read_batches`, one record after the other in input order.

    Raises
    ------
    InputError : as :func:`read_batches`.
    """
    for batch in read_batches(paths, format=format, mapping=mapping, rows=1000, limits=limits):
        yield from batch.rows()
