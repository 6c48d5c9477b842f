"""The snapshot a command works on."""

from __future__ import annotations

from ragsieve_core.errors import InputError
from warehouse.database import Warehouse
from warehouse.principal import Principal
from warehouse.snapshots import latest_snapshot


def snapshot_id(wh: Warehouse, corpus: str, asked: str | None, *, principal: Principal) -> str:
    """The snapshot asked for, or the latest of the corpus.

    Raises
    ------
    InputError : unknown corpus (with the nearest name), or a corpus without documents.
    """
    if asked is not None:
        return asked
    latest = latest_snapshot(wh, corpus, principal=principal)
    if latest is None:
        raise InputError(
            f"the corpus {corpus!r} holds no documents", do=f"take some in: ragsieve ingest --corpus {corpus} FILE"
        )
    return latest.snapshot_id
