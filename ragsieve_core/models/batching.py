"""Batches of texts of about the same length, each distinct text computed once, results in input order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.models.roles import Progress
from ragsieve_core.models.side_by_side import run_side_by_side

Item = TypeVar("Item")
Result = TypeVar("Result")

WINDOW = 4_096
"""Distinct texts tokenized at a time: long enough to sort by length well, short enough to bound memory."""


def length_batches(lengths: Sequence[int], budget: int, most: int = 256) -> Iterator[list[int]]:
    """Positions grouped so that texts of near length share a batch, longest first.

    Parameters
    ----------
    lengths : tokens of each item.
    budget : most padded tokens (items × longest) of a batch; an item above it stands alone.
    most : most items of a batch.
    """
    batch: list[int] = []
    longest = 0
    # Longest first: a batch that does not fit in memory fails at once, not near the end.
    for position in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        if batch and (len(batch) == most or longest * (len(batch) + 1) > budget):
            yield batch
            batch = []
        if not batch:
            longest = lengths[position]
        batch.append(position)
    if batch:
        yield batch


def map_texts(
    texts: Sequence[str],
    *,
    prepare: Callable[[list[str]], list[Item]],
    length: Callable[[Item], int],
    compute: Callable[[list[Item]], list[Result]],
    budget: int,
    most: int = 256,
    side_by_side: bool = False,
    progress: Progress | None = None,
) -> list[Result]:
    """Apply a batched model to texts.

    Parameters
    ----------
    texts : any number of texts; equal ones are computed once and share one result.
    prepare : tokenizes a list of texts, order kept.
    length : padded cost of one item.
    compute : the model on one batch, order kept.
    budget : padded tokens per batch.
    most : texts per batch.
    side_by_side : whether batches are computed at the same time, each by a thread with one core.
    progress : called after each batch with (texts done, texts in all).

    Raises
    ------
    InputError : a single string in place of a list, or an entry that is not a string.
    """
    if isinstance(texts, str):
        raise InputError("one string where a list of texts belongs", expected="a list of strings")
    first: dict[str, int] = {}
    for position, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"{type(text).__name__} where a text belongs", where=f"texts[{position}]")
        first.setdefault(text, len(first))
    owner = [first[text] for text in texts]
    counts: NDArray[np.int64] = np.bincount(np.asarray(owner, dtype=np.int64), minlength=len(first))
    distinct = list(first)
    results: dict[int, Result] = {}
    done = 0
    for start in range(0, len(distinct), WINDOW):
        items = prepare(distinct[start : start + WINDOW])
        batches = list(length_batches([length(item) for item in items], budget, most))
        inputs = [[items[i] for i in batch] for batch in batches]
        for batch, made in zip(batches, _results(compute, inputs, side_by_side), strict=True):
            for position, result in zip(batch, made, strict=True):
                results[start + position] = result
                done += int(counts[start + position])
            if progress is not None:
                progress(done, len(texts))
    return [results[i] for i in owner]


def _results(
    compute: Callable[[list[Item]], list[Result]], inputs: list[list[Item]], side_by_side: bool
) -> Iterator[list[Result]]:
    if not side_by_side:
        yield from map(compute, inputs)
        return
    futures = run_side_by_side(compute, inputs)
    try:
        for future in futures:
            yield future.result()
    finally:
        for future in futures:
            future.cancel()
