"""What the `calibrated` rule reads from the texts of a snapshot: kept from the last scan, or read now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.services.waiting import Say
from ragsieve_core.rsg.calibrated.reading import TextReading, read_texts
from warehouse.errors import StorageError
from warehouse.reading_files import load_reading, save_reading
from warehouse.side import Side


def find_reading(
    side: Side, corpus_id: str, texts: Sequence[str], stray_families: int, *, say: Say
) -> tuple[TextReading, dict[str, Any]]:
    """The reading of ``texts``, the same whether an earlier one was there or not, and how it came about.

    Parameters
    ----------
    side : folder of the warehouse, also where another process owns the warehouse.
    stray_families : see :class:`ragsieve_core.rsg.calibrated.config.CalibratedConfig`.

    Returns
    -------
    the reading, and JSON values: texts_read (different texts that were read now) and texts_reason (why none was taken
    over; empty where some were).
    """
    side.create()
    try:
        earlier, reason = load_reading(side, corpus_id)
    except StorageError as error:
        say(f"{error.what} ({error.where}): reading every text")
        earlier, reason = None, f"broken: {error.what}"
    found, fresh = read_texts(texts, previous=earlier, stray_families=stray_families)
    try:
        # Written anew even if nothing changed: its age says whether a scan still uses it
        save_reading(side, corpus_id, found)
    except OSError as error:
        say(f"the words of the texts could not be kept ({error.strerror}): the next scan reads every text")
    return found, {"texts_read": fresh, "texts_reason": reason}
