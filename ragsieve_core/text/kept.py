"""What was worked out for one text alone, kept for the next scan under the text's content hash.

For rules whose features come text by text: word sets by :func:`ragsieve_core.text.unicode_words.unicode_words`, script
findings by :func:`ragsieve_core.text.uts39.uts39_suspicious`. The words of the `paper` rule have a form of their own,
:mod:`ragsieve_core.rsg.features`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ragsieve_core.errors import InputError

Feature = TypeVar("Feature")


def kept_features(
    texts: Sequence[str],
    feature: Callable[[str], Feature],
    *,
    keys: Sequence[str] | None = None,
    previous: Mapping[str, Feature] | None = None,
) -> tuple[list[Feature], dict[str, Feature]]:
    """A feature of each text, worked out once for equal texts and not at all for those known from before.

    Parameters
    ----------
    texts : N texts.
    feature : depends on the text alone, and is never changed in place.
    keys : N strings, equal only where the texts are: content hashes. By default the texts themselves.
    previous : what an earlier call with the same ``feature`` and the same kind of keys gave to keep.

    Returns
    -------
    N features, and what to keep: one entry per different text of now, none of texts that are gone.

    Raises
    ------
    InputError : numbers of texts and keys that differ.
    """
    names = texts if keys is None else keys
    if len(names) != len(texts):
        raise InputError(f"{len(texts)} texts and {len(names)} keys", expected="one key per text, in the same order")
    known = {} if previous is None else previous
    now: dict[str, Feature] = {}
    found: list[Feature] = []
    for name, text in zip(names, texts, strict=True):
        if name not in now:
            now[name] = known[name] if name in known else feature(text)
        found.append(now[name])
    return found, now
