"""Which column of an input holds which field of a record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from ragsieve_core.errors import InputError, nearest
from ragsieve_core.formats.showing import show_value

FIELDS = (
    "id",
    "text",
    "title",
    "source_uri",
    "parent",
    "contributor",
    "tenant",
    "acl",
    "licence",
    "batch",
    "metadata",
    "embedding",
)
# Names that stand for a field when no flag says otherwise, the first one there wins: ours, BEIR's, the release's.
_DEFAULTS: dict[str, tuple[str, ...]] = {
    "id": ("id", "_id", "document_id"),
    "source_uri": ("source_uri", "source"),
    "parent": ("parent", "parent_id"),
    "licence": ("licence", "license"),
}
_FLAG_NAMES = {"source": "source_uri", "license": "licence"}


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Column name for each field; empty means the default names.

    The defaults are the field's own name and, for some, one or two more: ``id`` also ``_id`` and ``document_id``,
    ``source_uri`` also ``source``, ``parent`` also ``parent_id``, ``licence`` also ``license``. A mapped name is
    looked for alone. Columns that stand for no field are kept in the record's metadata.
    """

    id: str = ""
    text: str = ""
    title: str = ""
    source_uri: str = ""
    parent: str = ""
    contributor: str = ""
    tenant: str = ""
    acl: str = ""
    licence: str = ""
    batch: str = ""
    metadata: str = ""
    embedding: str = ""

    def __post_init__(self) -> None:
        taken: dict[str, str] = {}
        for field in fields(self):
            column = getattr(self, field.name)
            if not isinstance(column, str):
                raise InputError(f"is {show_value(column)}", where=field.name, expected="the name of a column")
            if column and column in taken:
                raise InputError(
                    f"the column {show_value(column)} is mapped to both {taken[column]} and {field.name}",
                    where="column mapping",
                    expected="each column for one field",
                    do="drop one of the two",
                )
            taken[column] = field.name

    @classmethod
    def from_flags(cls, flags: Iterable[str]) -> ColumnMapping:
        """Mapping from texts like ``id=_id``, ``text=body``, ``source=url``.

        Raises
        ------
        InputError : no ``=``, an unknown field (with the nearest name), a field given twice, an empty column.
        """
        mapped: dict[str, str] = {}
        for flag in flags:
            name, sign, column = flag.partition("=")
            field = _FLAG_NAMES.get(name, name)
            where = f"column mapping {show_value(flag)}"
            if not sign or not column:
                raise InputError("does not map anything", where=where, expected="field=column, such as text=body")
            if field not in FIELDS:
                raise InputError(f"there is no field {show_value(name)}", where=where, expected=nearest(name, FIELDS))
            if field in mapped:
                raise InputError(f"{field} is mapped twice", where=where, expected="each field once", do="drop one")
            mapped[field] = column
        return cls(**mapped)

    def names(self, field: str) -> tuple[str, ...]:
        """Column names that stand for ``field``, the first one present wins."""
        mapped = getattr(self, field)
        return (mapped,) if mapped else _DEFAULTS.get(field, (field,))

    def resolve(self, columns: Iterable[str]) -> Mapping[str, str]:
        """Field to column, for the fields that ``columns`` hold."""
        there = set(columns)
        found: dict[str, str] = {}
        for field in FIELDS:
            column = next((name for name in self.names(field) if name in there), None)
            if column is not None and column not in found.values():
                found[field] = column
        return found


DEFAULT_MAPPING = ColumnMapping()
