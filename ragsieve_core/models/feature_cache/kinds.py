"""The kinds of features: which model made them, and their form in memory and on disk."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.models.feature_cache.lexical import LexicalFeatures
from ragsieve_core.models.halves import widened
from ragsieve_core.models.roles import TokenSurprisal, TokenVectors
from ragsieve_core.text.scripts import ScriptProfile

Value = TypeVar("Value")
Arrays = Mapping[str, NDArray[Any]]

ENTRY_OVERHEAD = 1_024
"""Bytes counted for an entry besides its arrays: key, name and object headers (measured: about 800)."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[Value]):
    """One kind of features.

    Attributes
    ----------
    name : short word, part of the folder name.
    key : every parameter that changes the numbers.
    pack, unpack : to arrays and back; ``unpack`` raises KeyError or ValueError on arrays of another form.
    size : bytes in memory.
    stored : whether the disk tier may hold it.
    tag : name of its folder, from ``name`` and ``key``.
    """

    name: str
    key: str
    pack: Callable[[Value], Arrays]
    unpack: Callable[[Arrays], Value]
    size: Callable[[Value], int]
    stored: bool = True
    tag: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tag", f"{self.name}-{hashlib.sha256(self.key.encode()).hexdigest()[:16]}")


@dataclass(frozen=True, slots=True)
class HalfVectors:
    """Token vectors as they are kept: float16 (t, d), with int32 (t, 2) character spans."""

    vectors: NDArray[np.float16]
    offsets: NDArray[np.int32]

    def widened(self) -> TokenVectors:
        """As the detectors take them; widening is exact."""
        return TokenVectors(widened(self.vectors), self.offsets)


DocumentVectors = TokenVectors | HalfVectors
"""Token vectors of a document as a model gives them, or as they are kept."""


def halved(value: TokenVectors) -> HalfVectors:
    """The one rounding of token vectors, documents and queries alike: to the nearest float16, ties to even."""
    return HalfVectors(value.vectors.astype(np.float16), value.offsets)


def _checked(array: NDArray[Any], dtype: Any, dimensions: int) -> NDArray[Any]:
    if array.dtype != dtype or array.ndim != dimensions:
        raise ValueError(f"{array.dtype} with {array.ndim} axes")
    return array


def _aligned(values: NDArray[Any], offsets: NDArray[Any]) -> NDArray[np.int32]:
    _checked(offsets, np.int32, 2)
    if offsets.shape != (values.shape[0], 2) or not np.isfinite(values).all():
        raise ValueError("offsets or values that do not fit")
    return offsets


def _unpack_surprisal(arrays: Arrays) -> TokenSurprisal:
    nll = _checked(arrays["nll"], np.float32, 1)
    return TokenSurprisal(nll, _aligned(nll, arrays["offsets"]))


def _unpack_vectors(arrays: Arrays) -> HalfVectors:
    vectors = _checked(arrays["vectors"], np.float16, 2)
    return HalfVectors(vectors, _aligned(vectors, arrays["offsets"]))


def surprisal_kind(model_key: str) -> Kind[TokenSurprisal]:
    """Token NLL: bursts and changes of any rule derive from it, and the trace shown is it."""
    return Kind(
        "surprisal",
        model_key,
        lambda value: {"nll": value.nll, "offsets": value.offsets},
        _unpack_surprisal,
        lambda value: value.nll.nbytes + value.offsets.nbytes + ENTRY_OVERHEAD,
    )


def vectors_kind(model_key: str, max_tokens: int) -> Kind[HalfVectors]:
    """Token vectors of a document, rounded."""
    return Kind(
        "vectors",
        f"{model_key},max_tokens={max_tokens},rounded=float16",
        lambda value: {"vectors": value.vectors, "offsets": value.offsets},
        _unpack_vectors,
        lambda value: value.vectors.nbytes + value.offsets.nbytes + ENTRY_OVERHEAD,
    )


def query_kind(model_key: str, max_tokens: int) -> Kind[HalfVectors]:
    """Token vectors of a query, in memory only: what people ask is not written to disk."""
    return replace(vectors_kind(model_key, max_tokens), name="query", stored=False)


def _pack_lexical(value: LexicalFeatures) -> Arrays:
    profile = value.profile
    text = json.dumps([sorted(value.words), profile.mixed_fraction, profile.counts, profile.transitions])
    return {"json": np.frombuffer(text.encode(), dtype=np.uint8)}


def _unpack_lexical(arrays: Arrays) -> LexicalFeatures:
    words, mixed, counts, transitions = json.loads(_checked(arrays["json"], np.uint8, 1).tobytes())
    profile = ScriptProfile(float(mixed), tuple((str(s), int(n)) for s, n in counts), int(transitions))
    return LexicalFeatures(frozenset(words), profile)


def lexical_kind() -> Kind[LexicalFeatures]:
    """Word set and script counts; both change with the Unicode tables of the running Python."""
    return Kind(
        "lexical",
        f"lexical=1,unicode={unicodedata.unidata_version}",
        _pack_lexical,
        _unpack_lexical,
        lambda value: sum(64 + len(word) for word in value.words) + 256 * len(value.profile.counts) + ENTRY_OVERHEAD,
    )
