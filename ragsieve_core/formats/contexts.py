"""Prepared retrieval contexts: one JSON object a line, one retrieval event an object (schema of the release).

``query_id``, ``query``, ``condition`` and ``documents[]`` of ``id``, ``rank``, ``text``, optionally ``title``,
``similarity`` and ``poison``. Other fields are ignored.
"""

from __future__ import annotations

from ragsieve_core.document import RankedContext, RankedDocument, document_text
from ragsieve_core.errors import InputError
from ragsieve_core.formats.safe_open import DEFAULT_LIMITS, Limits, PathLike
from ragsieve_core.formats.showing import show_value
from ragsieve_core.formats.strict import Fields, strict_objects

_DOCUMENTS = "a list of objects with id, rank and text, best first"


def _document(fields: Fields, last_rank: int, places: dict[str, int]) -> RankedDocument:
    identifier = fields.text("id", empty=False)
    rank = fields.positive_int("rank")
    if rank <= last_rank:
        fields.fail("rank", f"rank {rank} follows rank {last_rank}", "ranks that rise from one document to the next")
    if identifier in places:
        first = places[identifier]
        fields.fail("id", f"{show_value(identifier)} is already documents[{first}]", "each document once in a ranking")
    places[identifier] = len(places)
    text = document_text(fields.text("text"), fields.optional_text("title"))
    return RankedDocument(
        identifier, rank, text, poison=fields.optional_bool("poison"), similarity=fields.optional_number("similarity")
    )


def _context(fields: Fields, n: int) -> RankedContext:
    query_id = fields.text("query_id", empty=False)
    query = fields.text("query", empty=False)
    condition = fields.text("condition")
    documents: list[RankedDocument] = []
    places: dict[str, int] = {}
    for entry in fields.objects("documents", _DOCUMENTS):
        documents.append(_document(entry, documents[-1].rank if documents else 0, places))
    if len(documents) < n:
        fields.fail(
            "documents",
            f"the ranking of query {show_value(query_id)} holds {len(documents)} documents",
            f"at least n = {n}",
            "retrieve deeper, or score with a smaller n",
        )
    return RankedContext(query_id, query, condition, tuple(documents))


def read_contexts(path: PathLike, *, n: int = 20, k: int = 5, limits: Limits = DEFAULT_LIMITS) -> list[RankedContext]:
    """All contexts of a JSONL file (plain, gzip or zstd), in file order.

    Parameters
    ----------
    n : depth RSQ looks at; a ranking may be deeper, never shallower.
    k : how many of them are candidates; k >= 2 and n > k.

    Returns
    -------
    One :class:`RankedContext` a line, its documents in rank order with rank >= 1, text including a title.

    Raises
    ------
    InputError : file, line and field of the first fault: unreadable or empty file, broken JSON, missing field, wrong
        type, ranks not ascending, an id twice in a ranking, fewer than n documents.
    """
    if k < 2 or n <= k:
        raise InputError(f"n = {n} and k = {k}", where="n, k", expected="k >= 2 and n > k", do="change n or k")
    return [_context(fields, n) for fields in strict_objects(path, limits)]
