"""What the `paper` rule reads from the texts, kept so that the next scan looks only at new and changed ones.

Words and scripts hang on one text, overlap on two: a pair of texts that stood in a list before keeps its Jaccard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.rsg.array_folder import load_arrays, packed, save_arrays, unpacked
from ragsieve_core.rsg.carried import carried_places, rows_before
from ragsieve_core.rsg.integrity import text_scripts
from ragsieve_core.rsg.lexical import list_jaccard, pair_jaccard
from ragsieve_core.text.shared_tokens import spans
from ragsieve_core.text.token_sets import TokenSets, numbered_token_sets
from ragsieve_core.text.vocabulary import Vocabulary

_ARRAYS = ("scripts", "transitions", "index", "jaccard")


@dataclass(frozen=True, slots=True)
class TextFeatures:
    """Features of N texts and of the pairs in their neighbour lists.

    Attributes
    ----------
    keys : N strings; texts with one key are equal.
    sets : ``[a-z0-9]+`` words of each text.
    vocabulary : numbers of the words, of texts that are gone too.
    scripts, transitions : int64 (N,), see :func:`ragsieve_core.rsg.integrity.text_scripts`.
    index : int32 (N, k), neighbours.
    jaccard : float64 (N, k), word overlap with them, in [0, 1].
    """

    keys: tuple[str, ...]
    sets: TokenSets
    vocabulary: Vocabulary
    scripts: NDArray[np.int64]
    transitions: NDArray[np.int64]
    index: NDArray[np.int32]
    jaccard: NDArray[np.float64]

    def save(self, folder: Path) -> None:
        """Write the features as ``.npy`` files; ``folder`` holds the old ones or the new ones, never a mixture."""
        key_bytes, key_ends = packed(self.keys)
        word_bytes, word_ends = packed([word.decode() for word in self.vocabulary.long])
        save_arrays(
            folder,
            {name: getattr(self, name) for name in _ARRAYS}
            | {"begin": self.sets.begin, "size": self.sets.size, "number": self.sets.number}
            | {"codes": self.vocabulary.codes, "key_bytes": key_bytes, "key_ends": key_ends}
            | {"word_bytes": word_bytes, "word_ends": word_ends},
        )

    @classmethod
    def load(cls, folder: Path) -> TextFeatures:
        """Read saved features.

        Raises
        ------
        InputError : the folder holds no whole features.
        """
        names = (*_ARRAYS, "begin", "size", "number", "codes", "key_bytes", "key_ends", "word_bytes", "word_ends")
        held: dict[str, Any] = dict(load_arrays(folder, names, "text features"))
        words = unpacked(held["word_bytes"], held["word_ends"])
        vocabulary = Vocabulary(held["codes"], {word.encode(): place for place, word in enumerate(words)})
        return cls(
            unpacked(held["key_bytes"], held["key_ends"]),
            TokenSets(held["begin"], held["size"], held["number"], vocabulary.size),
            vocabulary,
            *(held[name] for name in _ARRAYS),
        )


def text_features(
    texts: Sequence[str],
    index: NDArray[np.int32],
    *,
    keys: Sequence[str] | None = None,
    previous: TextFeatures | None = None,
) -> TextFeatures:
    """Features of a corpus as it is now, from those it had.

    Parameters
    ----------
    texts : N document texts.
    index : int32 (N, k), rows of each text's neighbours.
    keys : N strings, equal only where the texts are: content hashes. By default the texts themselves. Of the same kind
        as those of ``previous``.
    previous : of an earlier scan, of any order and set of texts; texts whose key stands in it are not read again.

    Returns
    -------
    the features, whose numbers are those of the texts alone, bit for bit.

    Raises
    ------
    InputError : numbers of texts, keys and lists that differ.
    """
    held = tuple(texts if keys is None else keys)
    if not len(texts) == len(held) == index.shape[0]:
        raise InputError(
            f"{len(texts)} texts, {len(held)} keys and {index.shape[0]} neighbour lists",
            expected="one of each per document, in the same order",
        )
    if previous is None:
        sets, vocabulary = numbered_token_sets(texts, Vocabulary())
        scripts, transitions = text_scripts(texts)
        return TextFeatures(held, sets, vocabulary, scripts, transitions, index, list_jaccard(sets, index))
    before, leader = rows_before(previous.keys, held)
    fresh = np.flatnonzero(before < 0)
    kept = np.flatnonzero(before >= 0)
    some = [texts[row] for row in fresh.tolist()]
    added, vocabulary = numbered_token_sets(some, previous.vocabulary)
    scripts, transitions = np.empty(len(held), dtype=np.int64), np.empty(len(held), dtype=np.int64)
    scripts[kept], transitions[kept] = previous.scripts[before[kept]], previous.transitions[before[kept]]
    scripts[fresh], transitions[fresh] = text_scripts(some)
    sets = _joined(previous.sets, added, before, fresh, vocabulary.size)
    place = carried_places(previous.index, index, before, leader)
    jaccard = previous.jaccard.take(place, mode="wrap")
    row, spot = np.nonzero(place < 0)
    jaccard[row, spot] = pair_jaccard(sets, *_few_first(row, index[row, spot].astype(np.int64), len(held)))
    return TextFeatures(held, sets, vocabulary, scripts, transitions, index, jaccard)


def _joined(
    then: TokenSets, added: TokenSets, before: NDArray[np.int64], fresh: NDArray[np.int64], vocabulary: int
) -> TokenSets:
    begin, size = then.begin[np.maximum(before, 0)] if then.begin.size else before.copy(), np.empty_like(before)
    kept = before >= 0
    size[kept] = then.size[before[kept]]
    begin[fresh], size[fresh] = added.begin + then.number.size, added.size
    number = np.concatenate([then.number, added.number])
    if number.size > 2 * int(size.sum()) + _SPARE_WORDS:
        # Words of texts that are gone take up more than those in use
        number, begin = number[spans(begin, size)], np.cumsum(size) - size
    return TokenSets(begin, size, number, vocabulary)


def _few_first(
    one: NDArray[np.int64], other: NDArray[np.int64], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The two sides of pairs of ``count`` texts, that with fewer different texts first."""
    seen = np.zeros((2, count), dtype=bool)
    seen[0, one] = seen[1, other] = True
    return (other, one) if seen[1].sum() < seen[0].sum() else (one, other)


_SPARE_WORDS = 1_000_000
