"""BEIR folders: ``corpus.jsonl`` (_id, title, text), ``queries.jsonl`` (_id, text), ``qrels/<split>.tsv``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragsieve_core.errors import InputError
from ragsieve_core.formats.evaluation import Qrel
from ragsieve_core.formats.lines import read_lines
from ragsieve_core.formats.rejected import Rejected, safe_raw
from ragsieve_core.formats.safe_open import DEFAULT_LIMITS, Limits, PathLike
from ragsieve_core.formats.showing import show_path

_HEADERS = (["query-id", "corpus-id", "score"], ["query_id", "document_id", "relevance"])
_EXPECTED = "query id, document id and an integer score, separated by tabs"
_SCORE = re.compile(r"[+-]?[0-9]{1,18}")


def read_beir_qrels(path: PathLike, *, limits: Limits = DEFAULT_LIMITS) -> Iterator[Qrel | Rejected]:
    """Judgments of one ``qrels/*.tsv`` in file order; the header line is no record.

    Raises
    ------
    InputError : the file cannot be read or is empty.
    """
    file = show_path(path)
    first = True
    ordinal = -1
    for number, raw in read_lines(path, limits):
        if raw is not None and not raw.strip():
            continue
        try:
            text = "" if raw is None else raw.decode("utf-8")
        except UnicodeDecodeError:
            text = ""
        cells = [cell.strip() for cell in text.split("\t")]
        header = first and cells in _HEADERS
        first = False
        if header:
            continue
        ordinal += 1
        if len(cells) != 3 or not cells[0] or not cells[1] or "\0" in text:
            yield Rejected(file, number, "", "is no judgment", _EXPECTED, safe_raw(raw), ordinal)
        elif not _SCORE.fullmatch(cells[2]):
            yield Rejected(file, number, "score", "is no integer", _EXPECTED, safe_raw(raw), ordinal)
        else:
            yield Qrel(cells[0], cells[1], int(cells[2]))
    if first:
        raise InputError(
            "the file is empty", where=file, expected=_EXPECTED, do="check that this is the file you meant"
        )
