"""Both tiers together: each text computed once, damage computed anew, erasure everywhere."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from ragsieve_core.document import content_hash
from ragsieve_core.errors import InputError
from ragsieve_core.models.feature_cache.disk import DiskTier
from ragsieve_core.models.feature_cache.keys import text_key
from ragsieve_core.models.feature_cache.kinds import surprisal_kind
from ragsieve_core.models.feature_cache.memory import MemoryTier
from ragsieve_core.models.feature_cache.store import Store

KIND = surprisal_kind("counting")


def nll(store: Store, texts: list[str], model) -> list[list[float]]:
    return [value.nll.tolist() for value in store.fill(KIND, texts, model.surprisal)]


def test_each_text_once_in_the_order_asked(model) -> None:
    store = Store(MemoryTier(), None)
    assert nll(store, ["b", "a", "b"], model) == [[98.0], [97.0], [98.0]]
    assert nll(store, ["a", "c"], model) == [[97.0], [99.0]]
    assert model.seen == ["b", "a", "c"]


def test_a_new_process_finds_them_on_disk(model, folder: Path) -> None:
    nll(Store(MemoryTier(), DiskTier(folder)), ["a", ""], model)
    fresh = Store(MemoryTier(0), DiskTier(folder))
    assert fresh.present(KIND, ["a", "b"]) == {"a"}
    assert nll(fresh, ["a", "", "a"], model) == [[97.0], [], [97.0]]
    assert list(fresh.known(KIND, ["b", "a"])) == ["a"]
    assert model.seen == ["a", ""]


@pytest.mark.parametrize("damage", [b"", b"RSFEAT1\n", None])
def test_a_damaged_file_is_computed_again_and_replaced(model, folder: Path, damage: bytes | None) -> None:
    disk = DiskTier(folder)
    nll(Store(MemoryTier(), disk), ["abc"], model)
    path = disk.path(KIND.tag, text_key("abc").name)
    whole = path.read_bytes()
    path.write_bytes(whole[:-40] + b"\xff" + whole[-39:] if damage is None else damage)
    again = DiskTier(folder)
    assert nll(Store(MemoryTier(), again), ["abc"], model) == [[97.0, 98.0, 99.0]]
    again.flush()
    assert again.tally().corrupt == 1
    assert path.read_bytes() == whole


def test_the_entry_of_another_text_in_its_place_is_not_believed(model, folder: Path) -> None:
    disk = DiskTier(folder)
    nll(Store(MemoryTier(), disk), ["quiet", "loud"], model)
    quiet, loud = (disk.path(KIND.tag, text_key(t).name) for t in ("quiet", "loud"))
    loud.write_bytes(quiet.read_bytes())
    assert nll(Store(MemoryTier(), DiskTier(folder)), ["loud"], model) == [[108.0, 111.0, 117.0, 100.0]]


def test_threads_that_ask_for_the_same_texts_compute_each_once(model) -> None:
    store = Store(MemoryTier(), None)
    texts = [f"text {n}" for n in range(40)]
    start = threading.Barrier(8)

    def ask(shift: int) -> list[list[float]]:
        start.wait()
        order = texts[shift:] + texts[:shift]
        return nll(store, order, model)[40 - shift :] + nll(store, order, model)[: 40 - shift]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))
    assert sorted(model.seen) == sorted(texts)
    assert all(answer == [[float(ord(c)) for c in t] for t in texts] for answer in found)


def test_also_with_a_memory_that_keeps_nothing(model) -> None:
    store = Store(MemoryTier(0), None)
    model.gate = threading.Event()
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(nll, store, ["a"], model) for _ in range(3)]
        while not model.seen:
            pass
        threading.Timer(0.2, model.gate.set).start()
        assert [future.result() for future in asked] == [[[97.0]]] * 3
    assert model.seen == ["a"]


def test_who_waits_for_a_failure_computes_it_itself(model) -> None:
    store = Store(MemoryTier(), None)
    model.gate, model.failing = threading.Event(), True
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(nll, store, ["a"], model)
        while not model.seen:
            pass
        second = pool.submit(nll, store, ["a"], model)
        threading.Timer(0.2, model.gate.set).start()
        with pytest.raises(RuntimeError, match="the model failed"):
            first.result()
        assert second.exception() is None or isinstance(second.exception(), RuntimeError)
    model.failing = False
    assert nll(store, ["a"], model) == [[97.0]]


def test_forgetting_empties_both_tiers_here_and_in_another_process(model, folder: Path) -> None:
    here, there = (Store(MemoryTier(), DiskTier(folder)) for _ in range(2))
    for store in (here, there):
        nll(store, ["a", "b"], model)
    assert here.forget([content_hash("a")]) == 2
    for store in (here, there):
        assert store.present(KIND, ["a", "b"]) == {"b"}
    model.seen.clear()
    nll(there, ["a"], model)
    nll(there, ["a"], model)
    assert model.seen == ["a", "a"]
    assert there.present(KIND, ["a"]) == frozenset()


def test_bad_calls(model) -> None:
    store = Store(MemoryTier(), None)
    with pytest.raises(InputError, match="one string"):
        store.fill(KIND, "abc", model.surprisal)
    with pytest.raises(InputError, match=r"texts\[1\]"):
        store.fill(KIND, ["a", 5], model.surprisal)  # type: ignore[list-item]
    assert store.fill(KIND, [], model.surprisal) == []


def test_values_from_disk_are_bit_equal(folder: Path, model) -> None:
    first = Store(MemoryTier(), DiskTier(folder)).fill(KIND, ["äé\ud800"], model.surprisal)[0]
    again = Store(MemoryTier(), DiskTier(folder)).fill(KIND, ["äé\ud800"], model.surprisal)[0]
    assert first.nll.tobytes() == again.nll.tobytes()
    np.testing.assert_array_equal(first.offsets, again.offsets)
