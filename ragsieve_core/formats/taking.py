"""From one row of any format to one row of columns, or to a reason why not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.formats.json_line import LineError
from ragsieve_core.formats.mapping import DEFAULT_MAPPING, ColumnMapping
from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.formats.rejected import Rejected, safe_raw
from ragsieve_core.formats.safe_open import DEFAULT_LIMITS, Limits
from ragsieve_core.formats.showing import show_value
from ragsieve_core.formats.values import (
    acl_labels,
    dump_metadata,
    identifier,
    label,
    listed_vector,
    metadata_object,
)

_TEXTS = ("title", "source_uri", "licence")
_LABELS = ("parent", "contributor", "tenant", "batch")
_OPTIONAL: dict[str, Any] = dict.fromkeys((*_TEXTS, *_LABELS, "metadata"), "") | {"acl": ()}


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where the fields of rows with one set of keys lie."""

    id: str
    text: str
    texts: tuple[tuple[str, str], ...]
    labels: tuple[tuple[str, str], ...]
    acl: str
    metadata: str
    embedding: str
    others: tuple[str, ...]


def _plan(mapping: ColumnMapping, keys: tuple[str, ...]) -> _Plan:
    found = mapping.resolve(keys)
    return _Plan(
        id=found.get("id", ""),
        text=found.get("text", ""),
        texts=tuple((name, found[name]) for name in _TEXTS if name in found),
        labels=tuple((name, found[name]) for name in _LABELS if name in found),
        acl=found.get("acl", ""),
        metadata=found.get("metadata", ""),
        embedding=found.get("embedding", ""),
        others=tuple(key for key in keys if key not in found.values()),
    )


class SoundVector(np.ndarray[Any, Any]):
    """A float32 vector already known to be finite and not zero: checking a whole matrix at once is ten times faster."""


class Taker:
    """Collects rows into batches of columns.

    Parameters
    ----------
    mapping : which column holds which field.
    limits : its ``max_line_bytes`` also bounds one document's text, in characters.
    """

    def __init__(self, mapping: ColumnMapping = DEFAULT_MAPPING, limits: Limits = DEFAULT_LIMITS) -> None:
        self._mapping = mapping
        self._limits = limits
        self._plans: dict[tuple[str, ...], _Plan] = {}
        self._vectors: list[NDArray[np.float32] | None] = []
        self._columns: dict[str, list[Any]] = {}
        self.dimensions = 0
        self.seen = 0
        self._open = RecordBatchColumns()
        self._begin()

    def _begin(self) -> None:
        self._open = RecordBatchColumns()
        self._vectors = []
        self._columns = {name: getattr(self._open, name) for name in _OPTIONAL}

    def _put(self, name: str, value: Any) -> None:
        """Append to a column that rows without a value were left out of so far."""
        column = self._columns[name]
        if gap := len(self._open.id) - len(column):
            column.extend([_OPTIONAL[name]] * gap)
        column.append(value)

    @property
    def pending(self) -> int:
        """Records taken or rejected since the last :meth:`flush`."""
        return self._open.records

    def flush(self) -> RecordBatchColumns:
        """The batch so far; the next row begins a new one."""
        batch = self._open
        for name, column in self._columns.items():
            column.extend([_OPTIONAL[name]] * (len(batch) - len(column)))
        if any(vector is not None for vector in self._vectors):
            self._vectors.extend([None] * (len(batch) - len(self._vectors)))
            gap = np.full(self.dimensions, np.nan, dtype=np.float32)
            batch.embeddings = np.asarray(np.stack([gap if vector is None else vector for vector in self._vectors]))
        self._begin()
        return batch

    def reject(
        self, file: str, line: int, field: str, reason: str, expected: str, raw: bytes | str | None = None
    ) -> None:
        """Count a record as rejected."""
        self._open.rejected.append(Rejected(file, line, field, reason, expected, safe_raw(raw), self.seen))
        self.seen += 1

    def take(
        self,
        row: Mapping[str, Any],
        file: str,
        line: int,
        raw: bytes | str | None = None,
        vector: NDArray[np.floating[Any]] | None = None,
        checked: bool = False,
    ) -> None:
        """Count a row as accepted, or as rejected with the first reason found.

        Parameters
        ----------
        row : values by column name.
        raw : what to show of it if it is rejected; the row itself if ``None``.
        checked : its texts are known to hold no U+0000 (looking again costs a tenth of the time in JSONL).
        vector : its embedding where the format holds it apart from the row.
        """
        keys = tuple(row)
        plan = self._plans.get(keys)
        if plan is None:
            # Rows of endless different keys must not fill the memory with plans.
            if len(self._plans) > 1000:
                self._plans.clear()
            plan = self._plans[keys] = _plan(self._mapping, keys)
        try:
            self._take(plan, row, file, line, vector, checked)
        except LineError as fault:
            shown = raw if raw is not None else "".join(f"{key}: {show_value(value)}; " for key, value in row.items())
            self.reject(file, line, fault.field, fault.reason, fault.expected, shown)

    def _missing(self, field: str, row: Mapping[str, Any]) -> LineError:
        there = ", ".join(show_value(key)[1:-1] for key in list(row)[:12]) or "no field at all"
        name = self._mapping.names(field)[0]
        return LineError(f"the field is missing (there: {there})", "a string", name)

    def _text(self, value: Any, field: str, checked: bool) -> str:
        if not isinstance(value, str):
            raise LineError(f"is {show_value(value)}", "a string", field)
        if not checked and "\0" in value:
            raise LineError("holds the character U+0000", "text without U+0000", field)
        if len(value) > self._limits.max_line_bytes:
            raise LineError(f"is {len(value):,} characters long", f"at most {self._limits.max_line_bytes:,}", field)
        return value

    def _take(
        self,
        plan: _Plan,
        row: Mapping[str, Any],
        file: str,
        line: int,
        vector: NDArray[np.floating[Any]] | None,
        checked: bool,
    ) -> None:
        if not plan.id:
            raise self._missing("id", row)
        if not plan.text:
            raise self._missing("text", row)
        key = identifier(row[plan.id], plan.id)
        text = self._text(row[plan.text], plan.text, checked)
        # Everything is checked before anything is appended, so that columns never differ in length.
        values: list[tuple[str, Any]] = []
        for name, column in plan.texts:
            if value := row[column]:
                values.append((name, self._text(value, column, checked)))
            elif value is not None and value != "":
                raise LineError(f"is {show_value(value)}", "a string", column)
        for name, column in plan.labels:
            values.append((name, self._text(label(row[column], column), column, checked)))
        if plan.acl:
            values.append(("acl", acl_labels(row[plan.acl], plan.acl)))
        if plan.others or plan.metadata:
            values.append(("metadata", self._metadata(plan, row)))
        if plan.embedding and vector is None:
            vector = listed_vector(row[plan.embedding], plan.embedding)
        if vector is not None:
            kept = self._vector(vector, plan.embedding or "embedding")
            self._vectors.extend([None] * (len(self._open) - len(self._vectors)))
            self._vectors.append(kept)
        for name, value in values:
            self._put(name, value)
        batch = self._open
        batch.id.append(key)
        batch.text.append(text)
        batch.file.append(file)
        batch.line.append(line)
        batch.ordinal.append(self.seen)
        self.seen += 1

    def _metadata(self, plan: _Plan, row: Mapping[str, Any]) -> str:
        metadata = metadata_object(row[plan.metadata], plan.metadata) if plan.metadata else {}
        for column in plan.others:
            value = row[column]
            if value is None or value == "" or value != value:  # NaN stands for a missing number in data frames
                continue
            if column in metadata and metadata[column] != value:
                raise LineError(
                    f"{show_value(column)} stands both beside and inside {plan.metadata}, with different values",
                    "one value for each name",
                    column,
                )
            metadata = {**metadata, column: value}
        if not metadata:
            return ""
        return dump_metadata(metadata, plan.metadata)

    def _vector(self, vector: NDArray[np.floating[Any]], field: str) -> NDArray[np.float32]:
        if not len(vector):
            raise LineError("is an empty list", "a vector", field)
        if self.dimensions and len(vector) != self.dimensions:
            raise LineError(f"has {len(vector)} dimensions", f"{self.dimensions}, as the records before it", field)
        if isinstance(vector, SoundVector):
            self.dimensions = len(vector)
            return vector
        with np.errstate(over="ignore"):
            kept = vector.astype(np.float32)
        if not np.isfinite(kept).all():
            raise LineError("holds NaN, null or an infinite value", "finite numbers", field)
        if not kept.any():
            raise LineError("holds only zeros", "a vector with a direction", field)
        self.dimensions = len(kept)
        return kept
