"""What the `calibrated` rule reads from the texts, kept so that the next scan reads only new and changed ones."""

from __future__ import annotations

import hashlib
import unicodedata
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import fontTools
import numpy as np
import regex
from numpy.typing import NDArray

from ragsieve_core import __version__
from ragsieve_core.errors import InputError
from ragsieve_core.rsg.array_folder import load_arrays, packed, save_arrays, unpacked
from ragsieve_core.rsg.calibrated.wording import WordSets, numbered, renumbered
from ragsieve_core.rsg.carried import rows_before
from ragsieve_core.text.kept import kept_features
from ragsieve_core.text.shared_tokens import spans
from ragsieve_core.text.unicode_words import sequence_digest, unicode_word_list
from ragsieve_core.text.uts39 import uts39_suspicious

READER = "\x1f".join((__version__, "1", unicodedata.unidata_version, regex.__version__, fontTools.version))
"""What words and scripts depend on besides the text: code, form of the arrays, and the libraries' tables."""

_NAMES = (
    "edges", "number", "suspicious", "sequence", "stray_families", "key_bytes", "key_ends", "word_bytes", "word_ends",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TextReading:
    """What was read from N texts, each by itself.

    Attributes
    ----------
    keys : N strings; texts with one key are equal.
    sets : their words.
    suspicious : bool (N,), :func:`ragsieve_core.text.uts39.uts39_suspicious`.
    sequence : uint8 (N, 16), :func:`ragsieve_core.text.unicode_words.sequence_digest`.
    stray_families : what ``suspicious`` was read with.
    texts : the texts, where the keys are hashes of them made here: one that is there again needs no hash. Not stored.
    """

    keys: tuple[str, ...]
    sets: WordSets
    suspicious: NDArray[np.bool_]
    sequence: NDArray[np.uint8]
    stray_families: int
    texts: tuple[str, ...] | None = field(default=None, repr=False, compare=False)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The reading as plain arrays."""
        key_bytes, key_ends = packed(self.keys)
        word_bytes, word_ends = packed(self.sets.words)
        return {
            "edges": self.sets.edges, "number": self.sets.number, "suspicious": self.suspicious,
            "sequence": self.sequence, "stray_families": np.array([self.stray_families]),
            "key_bytes": key_bytes, "key_ends": key_ends, "word_bytes": word_bytes, "word_ends": word_ends,
        }  # fmt: skip

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> TextReading:
        """The reading that :meth:`arrays` gave.

        Raises
        ------
        ValueError : arrays that do not fit each other.
        KeyError : one is missing.
        """
        held = {name: arrays[name] for name in _NAMES}
        keys, words = (unpacked(held[f"{name}_bytes"], held[f"{name}_ends"]) for name in ("key", "word"))
        edges, number, count = held["edges"], held["number"], len(keys)
        sound = (
            edges.shape == (count + 1,)
            and number.ndim == 1
            and (edges[0], edges[-1]) == (0, number.size)
            and bool((np.diff(edges) >= 0).all())
            and held["suspicious"].shape == (count,)
            and held["sequence"].shape == (count, 16)
            and (number.size == 0 or (int(number.min()) >= 0 and int(number.max()) < len(words)))
        )
        if not sound:
            raise ValueError("arrays that do not fit each other")
        sets = WordSets.of(words, np.diff(edges), number)
        return cls(keys, sets, held["suspicious"], held["sequence"], int(held["stray_families"][0]))

    def save(self, folder: Path) -> None:
        """Write the reading as ``.npy`` files; ``folder`` holds the old ones or the new ones, never a mixture."""
        save_arrays(folder, self.arrays())

    @classmethod
    def load(cls, folder: Path) -> TextReading:
        """Read a saved reading.

        Raises
        ------
        InputError : the folder holds no whole one.
        """
        try:
            return cls.of_arrays(load_arrays(folder, _NAMES, "text reading"))
        except ValueError as error:
            raise InputError(f"no text reading: {error}", where=str(folder)) from error


def text_keys(texts: Sequence[str]) -> tuple[str, ...]:
    """A hash of each text, every code point of it."""
    return tuple(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest() for text in texts)


def read_texts(
    texts: Sequence[str],
    *,
    keys: Sequence[str] | None = None,
    previous: TextReading | None = None,
    stray_families: int = 3,
) -> tuple[TextReading, int]:
    """Read the texts of a corpus as it is now, those that an earlier scan read not again.

    Parameters
    ----------
    texts : N document texts.
    keys : N strings, equal only where the texts are, of the same kind as those of ``previous``; by default
        :func:`text_keys`.
    previous : of an earlier scan, of any order and set of texts.
    stray_families : foreign script families that make a text suspicious by themselves, >= 1.

    Returns
    -------
    the reading, which is that of the texts alone, bit for bit, and how many different texts were read.

    Raises
    ------
    InputError : numbers of texts and keys that differ.
    """
    held = _keys(texts, previous) if keys is None else tuple(keys)
    if len(held) != len(texts):
        raise InputError(f"{len(texts)} texts and {len(held)} keys", expected="one key per text, in the same order")
    if previous is None:
        source = np.full(len(held), -1, dtype=np.int64)
    else:
        source, _ = rows_before(previous.keys, held)
    fresh = np.flatnonzero(source < 0).tolist()
    _, found = kept_features(
        [texts[row] for row in fresh], lambda text: _read(text, stray_families), keys=[held[row] for row in fresh]
    )
    rows = 0 if previous is None else len(previous.keys)
    place = {key: rows + number for number, key in enumerate(found)}
    source[fresh] = [place[held[row]] for row in fresh]
    read = list(found.values())
    suspicious = np.fromiter((one[2] for one in read), bool, len(read))
    sequence = np.frombuffer(b"".join(one[1] for one in read), dtype=np.uint8).reshape(-1, 16)
    added = numbered([one[0] for one in read])
    if previous is None:
        words, number, size = added.words, added.number, np.diff(added.edges)
    else:
        words, old, new = _merged(previous.sets.words, added.words)
        number = renumbered(old, previous.sets.number, new[added.number])
        size = np.concatenate([np.diff(previous.sets.edges), np.diff(added.edges)])
        suspicious = np.concatenate([previous.suspicious, suspicious])
        sequence = np.concatenate([previous.sequence, sequence])
    if source.size != size.size or (source != np.arange(source.size)).any():
        start = np.cumsum(size) - size
        number, size = number[spans(start[source], size[source])], size[source]
    sets = WordSets.of(words, size, number)
    mixed = suspicious[source]
    if previous is not None and previous.stray_families != stray_families:
        mixed = np.fromiter((uts39_suspicious(text, stray_families) for text in texts), bool, len(texts))
    kept = tuple(texts) if keys is None else None
    return TextReading(held, sets, mixed, sequence[source], stray_families, kept), len(found)


def _keys(texts: Sequence[str], previous: TextReading | None) -> tuple[str, ...]:
    """:func:`text_keys`; texts that stand where they stood before are not hashed again."""
    if previous is None or previous.texts is None or tuple(texts[: len(previous.texts)]) != previous.texts:
        return text_keys(texts)
    return previous.keys + text_keys(texts[len(previous.texts) :])


def _read(text: str, stray_families: int) -> tuple[frozenset[str], bytes, bool]:
    words = unicode_word_list(text)
    return frozenset(words), sequence_digest(text, words), uts39_suspicious(text, stray_families)


def _merged(
    one: tuple[str, ...], other: tuple[str, ...]
) -> tuple[tuple[str, ...], NDArray[np.int32], NDArray[np.int32]]:
    """Two sorted vocabularies as one, and the places there of the words of each."""
    spot = np.fromiter((bisect_left(one, word) for word in other), np.int64, len(other))
    known = np.fromiter(
        (at < len(one) and one[at] == word for at, word in zip(spot.tolist(), other, strict=True)), bool, len(other)
    )
    fresh = spot[~known]
    old = np.arange(len(one)) + np.searchsorted(fresh, np.arange(len(one)), side="right")
    new = spot + np.searchsorted(fresh, spot, side="right")
    new[~known] = fresh + np.arange(fresh.size)
    # Two sorted runs, which is what Python's sort merges in one pass
    words = tuple(sorted([*one, *(word for word, there in zip(other, known.tolist(), strict=True) if not there)]))
    return words, old.astype(np.int32), new.astype(np.int32)
