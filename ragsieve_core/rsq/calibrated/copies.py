"""Copies: documents of one ranking that say the same in the same words are one voice."""

from __future__ import annotations

from collections.abc import Sequence

from ragsieve_core.rsq.calibrated.config import CalibratedRSQConfig
from ragsieve_core.rsq.calibrated.words import ordered_words


def representatives(texts: Sequence[str], config: CalibratedRSQConfig) -> list[int]:
    """For each ranked text the position of the earliest text it is a copy of, its own where it is none.

    Two of the first ``config.copy_ranks`` are copies at word Jaccard >= ``config.copy_jaccard``. A text that contains
    another is no copy: planted documents often quote one another.
    """
    chosen = list(range(len(texts)))
    held = [ordered_words(text).content for text in texts[: config.copy_ranks]]
    for later in range(1, len(held)):
        for earlier in range(later):
            if chosen[earlier] != earlier:
                continue
            union = len(held[earlier] | held[later])
            shared = len(held[earlier] & held[later])
            if texts[earlier] == texts[later] or (union and shared / union >= config.copy_jaccard):
                chosen[later] = earlier
                break
    return chosen
