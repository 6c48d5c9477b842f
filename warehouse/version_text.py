"""The text of one version, for reading beside an alert."""

from __future__ import annotations

from typing import Any

from ragsieve_core.errors import InputError
from warehouse import sql
from warehouse.database import Warehouse
from warehouse.principal import Principal


def get_version(wh: Warehouse, version_id: int, *, principal: Principal) -> dict[str, Any]:
    """One row of document_versions with its corpus name.

    Raises
    ------
    InputError
        unknown, or of another tenant: the two are not told apart.
    """
    with wh.reading() as cursor:
        found = sql.row(cursor, "version", version_id=version_id, **principal.scope())
    if found is None:
        raise InputError(f"no version {version_id}", where="version")
    return found
