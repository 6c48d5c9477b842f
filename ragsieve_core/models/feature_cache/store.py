"""Both tiers together: memory, disk, and computing each text once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ragsieve_core.errors import InputError
from ragsieve_core.models.feature_cache.codec import CorruptEntryError, decode_entry, encode_entry
from ragsieve_core.models.feature_cache.disk import DiskTier
from ragsieve_core.models.feature_cache.keys import TextKey, content_of, text_keys
from ragsieve_core.models.feature_cache.kinds import Kind
from ragsieve_core.models.feature_cache.memory import MemoryTier
from ragsieve_core.models.feature_cache.single_flight import SingleFlight

Value = TypeVar("Value")
Compute = Callable[[list[str]], list[Value]]


class Store:
    """Features by kind and text.

    Parameters
    ----------
    memory, disk : the tiers; no disk tier keeps features for this process only.
    erasures : disk tier whose erasures apply here too; None = ``disk``.
    """

    def __init__(self, memory: MemoryTier, disk: DiskTier | None, erasures: DiskTier | None = None) -> None:
        self.memory = memory
        self.disk = disk
        self._marks = erasures or disk
        self._flight = SingleFlight()
        self._forgetting = threading.Lock()
        self._erasures = 0

    def known(self, kind: Kind[Value], texts: Iterable[str]) -> dict[str, Value]:
        """Features that are there, by text; nothing is computed."""
        return self.known_keys(kind, text_keys(texts))

    def known_keys(self, kind: Kind[Value], keys: Mapping[str, TextKey]) -> dict[str, Value]:
        """:meth:`known` of texts whose keys were made already."""
        self._heed_erasures()
        found: dict[str, Value] = {}
        counts = dict.fromkeys(("from_memory", "from_disk"), 0)
        for text, key in keys.items():
            value, source = self.memory.get((kind.tag, key.name)), "from_memory"
            if value is None:
                value, source = self._load(kind, key), "from_disk"
            if value is not None:
                found[text] = value
                counts[source] += 1
        if self.disk is not None and kind.stored:
            # What is missing is counted when it is computed
            self.disk.count(asked=len(found), **counts)
        return found

    def present(self, kind: Kind[Any], texts: Iterable[str]) -> frozenset[str]:
        """Texts with features in memory or in a file; no file is opened."""
        self._heed_erasures()
        return frozenset(
            text
            for text, key in text_keys(texts).items()
            if (kind.tag, key.name) in self.memory
            or (self.disk is not None and kind.stored and self.disk.holds(kind.tag, key.name))
        )

    def fill(self, kind: Kind[Value], texts: Sequence[str], compute: Compute[Value]) -> list[Value]:
        """Features of every text, in the order given; what is missing is computed, each text by one thread.

        Raises
        ------
        InputError : a single string in place of a list, or an entry that is not a string.
        Whatever ``compute`` raises; other threads that wait for the same text then compute it themselves.
        """
        if isinstance(texts, str):
            raise InputError("one string where a list of texts belongs", expected="a list of strings")
        for position, text in enumerate(texts):
            if not isinstance(text, str):
                raise InputError(f"{type(text).__name__} where a text belongs", where=f"texts[{position}]")
        self._heed_erasures()
        keys = text_keys(texts)
        found: dict[str, Value] = {}
        counts = dict.fromkeys(("from_memory", "from_disk", "computed"), 0)
        left = list(keys)
        while left:
            absent = []
            for text in left:
                value = self.memory.get((kind.tag, keys[text].name))
                if value is None:
                    absent.append(text)
                else:
                    found[text] = value
                    counts["from_memory"] += 1
            by_name = {(kind.tag, keys[text].name): text for text in absent}
            mine, others = self._flight.claim(by_name)
            self._compute_mine(kind, {by_name[key]: keys[by_name[key]] for key in mine}, compute, found, counts)  # type: ignore[index]
            left = []
            for key, flight in others.items():
                flight.landed.wait()
                text = by_name[key]  # type: ignore[index]
                if flight.value is None:
                    left.append(text)
                else:
                    found[text] = flight.value
                    counts["from_memory"] += 1
        if self.disk is not None and kind.stored:
            self.disk.count(asked=len(keys), **counts)
        return [found[text] for text in texts]

    def forget(self, contents: Iterable[str]) -> int:
        """Erase the texts with these content hashes from both tiers; entries that went."""
        wanted = frozenset(contents)
        gone = self.disk.forget(wanted) if self.disk is not None else 0
        return gone + self.memory.drop(lambda name: content_of(name) in wanted)

    def _compute_mine(
        self,
        kind: Kind[Value],
        mine: Mapping[str, TextKey],
        compute: Compute[Value],
        found: dict[str, Value],
        counts: dict[str, int],
    ) -> None:
        names = [(kind.tag, key.name) for key in mine.values()]
        try:
            missing: list[str] = []
            for text, key in mine.items():
                # Between looking and claiming, another thread may have finished it
                value = self.memory.get((kind.tag, key.name))
                source = "from_memory"
                if value is None:
                    value, source = self._load(kind, key), "from_disk"
                if value is None:
                    missing.append(text)
                    continue
                found[text] = value
                counts[source] += 1
                self._flight.land((kind.tag, key.name), value)
            if not missing:
                return
            made = compute(missing)
            if len(made) != len(missing):
                raise RuntimeError(f"{len(made)} results for {len(missing)} texts")
            counts["computed"] += len(missing)
            for text, value in zip(missing, made, strict=True):
                found[text] = value
                self._keep(kind, mine[text], value)
                self._flight.land((kind.tag, mine[text].name), value)
            if self.disk is not None and kind.stored:
                self.disk.write(
                    [
                        (kind.tag, mine[text].name, encode_entry(kind.key, mine[text].name, kind.pack(value)))
                        for text, value in zip(missing, made, strict=True)
                    ]
                )
        finally:
            self._flight.fail(names)

    def _load(self, kind: Kind[Value], key: TextKey) -> Value | None:
        if self.disk is None or not kind.stored:
            return None
        data = self.disk.read(kind.tag, key.name)
        if data is None:
            return None
        try:
            value = kind.unpack(decode_entry(data, kind.key, key.name))
        except (CorruptEntryError, ValueError, KeyError, TypeError):
            self.disk.discard(kind.tag, key.name)
            self.disk.count(corrupt=1)
            return None
        if self.disk.is_forgotten(key.name):
            self.disk.discard(kind.tag, key.name)
            return None
        self._keep(kind, key, value)
        return value

    def _keep(self, kind: Kind[Value], key: TextKey, value: Value) -> None:
        if self._marks is not None and self._marks.is_forgotten(key.name):
            return
        self.memory.put((kind.tag, key.name), value, kind.size(value))

    def _heed_erasures(self) -> None:
        """Drop from memory what another process erased since the last call."""
        marks = self._marks
        if marks is None:
            return
        number = marks.erasures()
        if number != self._erasures:
            with self._forgetting:
                self.memory.drop(marks.is_forgotten)
                self._erasures = number
