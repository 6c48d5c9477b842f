"""Copies: documents of one ranking that say the same in the same words are one voice."""

from __future__ import annotations

from collections.abc import Sequence

from ragsieve_core.rsq.calibrated.config import CalibratedRSQConfig
from ragsieve_core.rsq.calibrated.words import Words, ordered_words


def representatives(
    texts: Sequence[str], config: CalibratedRSQConfig, words: Sequence[Words] | None = None
) -> list[int]:
    """For each ranked text the position of the earliest text it is a copy of, its own where it is none.

    Two of the first ``config.copy_ranks`` are copies at word Jaccard >= ``config.copy_jaccard``. A text that contains
    another is no copy: planted documents often quote one another. ``words`` are the texts' own, where they are known.
    """
    chosen = list(range(len(texts)))
    first = texts[: config.copy_ranks]
    held = [own.content for own in (map(ordered_words, first) if words is None else words[: config.copy_ranks])]
    for later in range(1, len(held)):
        for earlier in range(later):
            if chosen[earlier] != earlier:
                continue
            smaller, larger = sorted((len(held[earlier]), len(held[later])))
            # Their Jaccard is at most the quotient of their sizes
            if smaller < larger and smaller / larger < config.copy_jaccard:
                continue
            shared = len(held[earlier] & held[later])
            union = len(held[earlier]) + len(held[later]) - shared
            if texts[earlier] == texts[later] or (union and shared / union >= config.copy_jaccard):
                chosen[later] = earlier
                break
    return chosen
