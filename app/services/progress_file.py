"""How far a command is, told to whoever started it."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Final

from ragsieve_core.models.roles import Progress

PROGRESS: Final = "RAGSIEVE_PROGRESS_FILE"
"""Names the file: one JSON object with title, done and total, replaced as a whole."""
_EVERY_S = 0.5


def teller(title: str) -> Progress:
    """Writes to the file that the environment names, twice a second at most; without one it does nothing."""
    target = os.environ.get(PROGRESS, "")
    due = 0.0

    def tell(done: int, total: int) -> None:
        nonlocal due
        if not target or (time.monotonic() < due and done < total):
            return
        due = time.monotonic() + _EVERY_S
        part = Path(f"{target}.part")
        part.write_text(json.dumps({"title": title, "done": done, "total": total}))
        part.rename(target)

    return tell
