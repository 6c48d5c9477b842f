"""What a replayed query says of a document that a quarantine version added or removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

Outcome = Literal["verified_absent", "still_present", "restored", "not_restored", "unreplayed"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


def judge(change: str, document_id: str, ranking: Sequence[str] | None) -> tuple[Outcome, int | None]:
    """Outcome and the document's rank (1, 2, …) in the ranking after the version; None where it is not in it.

    Parameters
    ----------
    change : ``added`` to the quarantine or ``removed`` from it.
    ranking : document ids after everything in force has left, best first; None where the query could not be replayed.
    """
    if ranking is None:
        return "unreplayed", None
    rank = next((place for place, name in enumerate(ranking, 1) if name == document_id), None)
    if change == "added":
        return ("verified_absent" if rank is None else "still_present"), rank
    return ("not_restored" if rank is None else "restored"), rank
