"""Documents for a corpus scan from plain files: one JSON object a line, in the order of the embedding matrix.

``id`` (or ``document_id``, as the release's corpus scans name it), ``text``, optionally ``title`` and ``source`` (the
parent document of a chunk). Other fields are ignored.
"""

from __future__ import annotations

from ragsieve_core.document import Document
from ragsieve_core.errors import InputError
from ragsieve_core.formats.safe_open import DEFAULT_LIMITS, Limits, PathLike
from ragsieve_core.formats.showing import show_path, show_value
from ragsieve_core.formats.strict import strict_objects


def read_documents(path: PathLike, *, min_documents: int = 2, limits: Limits = DEFAULT_LIMITS) -> list[Document]:
    """All documents of a JSONL file (plain, gzip or zstd), in file order.

    Parameters
    ----------
    min_documents : fewer are an error; RSG compares neighbours, so it needs two.

    Raises
    ------
    InputError : file, line and field of the first fault: unreadable or empty file, broken JSON, missing field, wrong
        type, an id given twice (both lines named), too few documents.
    """
    documents: list[Document] = []
    lines: dict[str, int] = {}
    for fields in strict_objects(path, limits):
        name = "document_id" if "id" not in fields.record and "document_id" in fields.record else "id"
        identifier = fields.text(name, empty=False)
        first = lines.setdefault(identifier, fields.line)
        if first != fields.line:
            fields.fail(name, f"{show_value(identifier)} is already the id of line {first}", "each id once in a corpus")
        documents.append(
            Document(identifier, fields.text("text"), fields.optional_text("title"), fields.optional_text("source"))
        )
    if len(documents) < min_documents:
        raise InputError(
            f"the corpus holds {len(documents)} document{'s' * (len(documents) != 1)}",
            where=show_path(path),
            expected=f"at least {min_documents}, since a document is compared with its neighbours",
            do="pass the whole corpus, one document a line",
        )
    return documents
