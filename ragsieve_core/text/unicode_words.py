"""Words of any language: UAX #29 boundaries after NFKC casefolding, character bigrams where no space parts words.

``[a-z0-9]+`` sees nothing in Arabic, Russian or Chinese text, so word overlap there is 0 for a copy and for a
stranger alike. Han, kana, Thai, Lao, Khmer and Myanmar are written without spaces; a dictionary would have to
guess their words, character bigrams need not and serve a set overlap as well.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence

import regex

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
"""Scripts written without spaces between words, as the inside of a character class."""

# Arabic tatweel and short vowels, soft hyphen and the other invisible code points: spelling variants of one word
_DROPPED = regex.compile(r"[\u0640\u064B-\u065F\u0670\p{Default_Ignorable_Code_Point}]+")
_RUN = regex.compile(rf"[{UNSPACED}][{UNSPACED}\p{{M}}\u30FC]*")
# WORD: \b is the default word boundary of UAX #29, not the border of \w
_WORD = regex.compile(r"\b[\p{L}\p{N}_].*?\b", flags=regex.WORD | regex.DOTALL | regex.V1)
_UNSPACED_LETTER = regex.compile(rf"[{UNSPACED}]")


def folded(text: str) -> str:
    """NFKC casefolding of ``text`` without tatweel, Arabic short vowels and invisible code points."""
    if text.isascii():
        return text.lower()
    composed = unicodedata.normalize("NFKC", text).casefold()
    return str(_DROPPED.sub("", unicodedata.normalize("NFKC", composed)))


def unicode_word_list(text: str) -> list[str]:
    """Words of ``text`` in order, with repeats.

    A word is a UAX #29 segment that starts with a letter, digit or underscore. A run of an unspaced script gives its
    overlapping character bigrams, or its one character; combining marks inside it count as characters. Those come
    after the spaced words.

    Unicode Standard Annex #29, "Unicode Text Segmentation", section 4.
    """
    plain = folded(text)
    if plain.isascii() or _UNSPACED_LETTER.search(plain) is None:
        return list(_WORD.findall(plain))
    words: list[str] = _WORD.findall(_RUN.sub(" ", plain))
    for run in _RUN.findall(plain):
        words.extend([run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)])
    return words


def sequence_digest(text: str, words: Sequence[str]) -> bytes:
    """16 bytes that are equal where the words, in order and with repeats, are; of the text itself where it has none.

    Parameters
    ----------
    words : :func:`unicode_word_list` of ``text``.
    """
    # Text without words (symbols, a formula) is compared as it stands
    return hashlib.blake2b(("\0".join(words) or text).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def unicode_words(text: str) -> frozenset[str]:
    """Distinct words of ``text``: the set :func:`unicode_word_list` draws from."""
    return frozenset(unicode_word_list(text))
