"""Column batches into a temporary table of one cursor; what cannot be stored is rejected record by record."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ragsieve_core.document import content_hash, document_text
from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.formats.rejected import Rejected, safe_raw
from warehouse import sql
from warehouse.ids import canonical_json
from warehouse.principal import DEFAULT_TENANT, Principal

_TEXTS = ("title", "source_uri", "parent", "contributor", "tenant", "licence", "batch")
_LONGEST_ID = 1024

CREATE = """
CREATE OR REPLACE TEMP TABLE stage (
    ordinal BIGINT, file VARCHAR, line BIGINT, document_id VARCHAR, content_hash VARCHAR, record_hash VARCHAR,
    title VARCHAR, text VARCHAR, source_uri VARCHAR, parent VARCHAR, contributor VARCHAR, tenant VARCHAR,
    acl VARCHAR[], licence VARCHAR, batch_label VARCHAR, metadata VARCHAR, characters INTEGER
)
"""


@dataclass(slots=True)
class Staged:
    """What staging has seen so far.

    ``records`` counts every record of the input, ``rejected`` holds those left out, ``vectors`` the blocks of the
    batches' embeddings with the record numbers they belong to.
    """

    records: int = 0
    rejected: list[Rejected] = field(default_factory=list)
    vectors: list[tuple[NDArray[np.int64], NDArray[np.float32]]] = field(default_factory=list)


@dataclass(slots=True)
class _Rows:
    """A batch with every absent field filled in."""

    ordinal: list[int]
    file: list[str]
    line: list[int]
    id: list[str]
    text: list[str]
    acl: list[Sequence[str]]
    metadata: list[object]
    texts: dict[str, list[str]]

    def keep(self, rows: Sequence[int]) -> _Rows:
        """These rows alone."""
        return _Rows(
            [self.ordinal[row] for row in rows],
            [self.file[row] for row in rows],
            [self.line[row] for row in rows],
            [self.id[row] for row in rows],
            [self.text[row] for row in rows],
            [self.acl[row] for row in rows],
            [self.metadata[row] for row in rows],
            {name: [values[row] for row in rows] for name, values in self.texts.items()},
        )


def stage_batch(
    cursor: duckdb.DuckDBPyConnection, batch: RecordBatchColumns, staged: Staged, principal: Principal, label: str
) -> None:
    """Append one batch to the temporary table ``stage`` and count it.

    A list of the batch may be empty where the field is absent for all its records.
    """
    count = len(batch.id)
    rows = _Rows(
        ordinal=batch.ordinal or list(range(staged.records, staged.records + count)),
        file=batch.file or [""] * count,
        line=batch.line or list(range(staged.records + 1, staged.records + count + 1)),
        id=batch.id,
        text=batch.text,
        acl=list(batch.acl) or [()] * count,
        metadata=list(batch.metadata) or [""] * count,
        texts={name: getattr(batch, name) or [""] * count for name in _TEXTS},
    )
    own = DEFAULT_TENANT
    if principal.tenants is not None and len(principal.tenants) == 1:
        own = next(iter(principal.tenants))
    rows.texts["tenant"] = [value or own for value in rows.texts["tenant"]]
    rows.texts["batch"] = [value or label for value in rows.texts["batch"]]
    staged.records += count + len(batch.rejected)
    staged.rejected.extend(batch.rejected)
    kept = list(range(count))
    try:
        table = _table(rows, principal)
    except (_UnsoundError, pa.ArrowException, UnicodeError, TypeError, ValueError, AttributeError, RecursionError):
        # Some record of the batch cannot be stored: find out which, one by one, and take the others.
        kept = [row for row in range(count) if _is_sound(rows, row, staged, principal)]
        rows = rows.keep(kept)
        table = _table(rows, principal)
    if batch.embeddings is not None and kept:
        matrix = batch.embeddings[kept]
        there = ~np.isnan(matrix[:, 0])
        staged.vectors.append((np.asarray(rows.ordinal, dtype=np.int64)[there], matrix[there]))
    sql.insert(cursor, "stage", table)


class _UnsoundError(Exception):
    """A field that the warehouse does not take: its name, why not, and what it would take."""

    def __init__(self, name: str, reason: str, expected: str) -> None:
        super().__init__(name, reason, expected)
        self.name = name
        self.reason = reason
        self.expected = expected


def _is_sound(rows: _Rows, row: int, staged: Staged, principal: Principal) -> bool:
    one = rows.keep([row])
    try:
        _table(one, principal)
    except _UnsoundError as fault:
        name, reason, expected = fault.name, fault.reason, fault.expected
    except (pa.ArrowException, UnicodeError, TypeError, ValueError, AttributeError, RecursionError) as fault:
        name, reason, expected = "", f"cannot be stored ({type(fault).__name__})", "texts of valid Unicode"
    else:
        return True
    shown = one.id[0]
    staged.rejected.append(
        Rejected(
            one.file[0],
            one.line[0],
            name,
            reason,
            expected,
            safe_raw(shown if isinstance(shown, str) else repr(shown)),
            one.ordinal[0],
        )
    )
    return False


def _metadata_text(value: object) -> str:
    if value is None or value == "":
        return "{}"
    if isinstance(value, str):
        value = json.loads(value)
    if not isinstance(value, Mapping):
        raise _UnsoundError("metadata", "is not a JSON object", "a JSON object")
    return canonical_json(dict(value))


def _table(rows: _Rows, principal: Principal) -> pa.Table:
    """Columns of ``stage`` with their hashes; raises if any row is unsound."""
    for tenant in set(rows.texts["tenant"]):
        if not principal.may_see(tenant):
            raise _UnsoundError("tenant", "a tenant this user may not write", "one of the user's own tenants")
    if not all(rows.id) or max(map(len, rows.id), default=0) > _LONGEST_ID:
        raise _UnsoundError("id", "is no document id", f"1 to {_LONGEST_ID} characters")
    texts, titles = rows.text, rows.texts["title"]
    # Encoded by Arrow first: it names a lone surrogate or another type before any hash is made of it.
    columns: dict[str, Any] = {
        "ordinal": pa.array(rows.ordinal, pa.int64()),
        "file": pa.array(rows.file, pa.string()),
        "line": pa.array(rows.line, pa.int64()),
        "document_id": pa.array(rows.id, pa.string()),
        "text": pa.array(texts, pa.string()),
        "acl": pa.array([sorted(set(labels or ())) for labels in rows.acl], pa.list_(pa.string())),
        "characters": pa.array([len(text) for text in texts], pa.int32()),
    }
    for name, values in rows.texts.items():
        columns["batch_label" if name == "batch" else name] = pa.array(values, pa.string())
    metadata = [_metadata_text(value) if value else "{}" for value in rows.metadata]
    hashes = [content_hash(document_text(text, title)) for text, title in zip(texts, titles, strict=True)]
    named = (*(rows.texts[name] for name in _TEXTS if name != "batch"), metadata)
    records = [
        hashlib.sha256("\x1f".join([digest, *fields, *labels]).encode()).hexdigest()
        for digest, *fields, labels in zip(hashes, *named, columns["acl"].to_pylist(), strict=True)
    ]
    columns["metadata"] = pa.array(metadata, pa.string())
    columns["content_hash"] = pa.array(hashes, pa.string())
    columns["record_hash"] = pa.array(records, pa.string())
    return pa.table(columns)
