"""Documents on their way into a warehouse, one by one or as columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.formats.rejected import Rejected


@dataclass(frozen=True, slots=True)
class Record:
    """One document with its provenance. Texts are empty where the input says nothing.

    Attributes
    ----------
    id : non-empty, at most 1,024 characters, none of them a control character.
    text, title : as in the input; no U+0000, no lone surrogate.
    source_uri : where the document came from.
    parent : the document this one is a chunk of. Its source for RSG is ``parent``, or ``source_uri`` without one.
    contributor, tenant, licence, batch : labels.
    acl : labels of who may see it; empty means no restriction stated.
    metadata : everything else the input holds, JSON values.
    embedding : shape (dimensions,), float32, finite, not zero, as given (not normalised); ``None`` without one.
    file, line : where it stands; ``line`` counts from 1 (rows in columnar files).
    ordinal : place in the whole input, from 0, rejected records counted.
    """

    id: str
    text: str
    title: str = ""
    source_uri: str = ""
    parent: str = ""
    contributor: str = ""
    tenant: str = ""
    acl: tuple[str, ...] = ()
    licence: str = ""
    batch: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    embedding: NDArray[np.float32] | None = None
    file: str = ""
    line: int = 0
    ordinal: int = -1


@dataclass(slots=True)
class RecordBatchColumns:
    """Accepted records as columns of equal length, and the rejected ones beside them.

    Attributes as in :class:`Record`, each a list, except:

    metadata : JSON text of an object, empty where there is none.
    embeddings : shape (len(id), dimensions), float32, a row of NaN where a record has none; ``None`` if none has.
    rejected : in input order; ``len(batch) + len(batch.rejected)`` is the number of records it was made from.
    """

    id: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    title: list[str] = field(default_factory=list)
    source_uri: list[str] = field(default_factory=list)
    parent: list[str] = field(default_factory=list)
    contributor: list[str] = field(default_factory=list)
    tenant: list[str] = field(default_factory=list)
    acl: list[tuple[str, ...]] = field(default_factory=list)
    licence: list[str] = field(default_factory=list)
    batch: list[str] = field(default_factory=list)
    metadata: list[str] = field(default_factory=list)
    file: list[str] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    ordinal: list[int] = field(default_factory=list)
    embeddings: NDArray[np.float32] | None = None
    rejected: list[Rejected] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.id)

    @property
    def records(self) -> int:
        """Number of records this batch was made from: accepted and rejected."""
        return len(self.id) + len(self.rejected)

    def _record(self, row: int) -> Record:
        embedding = None if self.embeddings is None or np.isnan(self.embeddings[row, 0]) else self.embeddings[row]
        return Record(
            self.id[row],
            self.text[row],
            self.title[row],
            self.source_uri[row],
            self.parent[row],
            self.contributor[row],
            self.tenant[row],
            self.acl[row],
            self.licence[row],
            self.batch[row],
            json.loads(self.metadata[row]) if self.metadata[row] else {},
            embedding,
            self.file[row],
            self.line[row],
            self.ordinal[row],
        )

    def rows(self) -> Iterator[Record | Rejected]:
        """Accepted and rejected records in input order."""
        refused = iter(self.rejected)
        waiting = next(refused, None)
        for row in range(len(self)):
            while waiting is not None and waiting.ordinal < self.ordinal[row]:
                yield waiting
                waiting = next(refused, None)
            yield self._record(row)
        if waiting is not None:
            yield waiting
        yield from refused
