from __future__ import annotations

import hashlib
import io

import numpy as np
import pytest

from ragsieve_core.rsg.calibrated.reading import READER, read_texts
from warehouse import reading_files
from warehouse.database import Warehouse
from warehouse.errors import StorageError
from warehouse.reading_files import drop_reading, load_reading, reading_folder, save_reading

TEXTS = ["red fox", "", "\ud800 中文", "red fox"]


def test_a_stored_reading_is_the_same_and_the_last_one_is_kept(wh: Warehouse) -> None:
    assert load_reading(wh.side, "c") == (None, "no earlier reading")
    save_reading(wh.side, "c", read_texts(["else"])[0])
    first = read_texts(TEXTS)[0]
    file = save_reading(wh.side, "c", first)
    assert list(reading_folder(wh.side, "c").iterdir()) == [file]
    assert file.stem == hashlib.sha256(file.read_bytes()).hexdigest()
    found, reason = load_reading(wh.side, "c")
    assert found is not None
    assert (found.keys, found.sets.words, reason) == (first.keys, first.sets.words, "")
    np.testing.assert_array_equal(found.sequence, first.sequence)
    assert load_reading(wh.side, "another") == (None, "no earlier reading")
    drop_reading(wh.side, "c")
    assert not file.exists()
    assert load_reading(wh.side, "c")[0] is None


def test_a_reading_by_other_code_is_not_used(wh: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    save_reading(wh.side, "c", read_texts(TEXTS)[0])
    monkeypatch.setattr(reading_files, "READER", READER + "x")
    assert load_reading(wh.side, "c") == (None, "an earlier reading by another version")


@pytest.mark.parametrize("harm", ["bit", "torn", "renamed", "no archive", "not fitting", "missing", "numbers"])
def test_a_broken_file_is_told(wh: Warehouse, harm: str) -> None:
    file = save_reading(wh.side, "c", read_texts(TEXTS)[0])
    data = file.read_bytes()
    if harm == "bit":
        file.write_bytes(data[:-300] + bytes([data[-300] ^ 1]) + data[-299:])
    elif harm == "torn":
        file.write_bytes(data[: len(data) // 2])
    elif harm == "renamed":
        file.rename(file.with_name("0" * 64 + ".npz"))
    else:
        # Bytes with their own hash that are no reading
        with np.load(file) as stored:
            arrays = dict(stored)
        if harm == "not fitting":
            arrays["suspicious"] = arrays["suspicious"][:-1]
        elif harm == "missing":
            del arrays["sequence"]
        elif harm == "numbers":
            arrays["number"] = arrays["number"] + 99
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        bad = b"nothing" if harm == "no archive" else buffer.getvalue()
        file.unlink()
        file.with_name(hashlib.sha256(bad).hexdigest() + ".npz").write_bytes(bad)
    expected = "have changed" if harm in ("bit", "torn", "renamed") else "that are none"
    with pytest.raises(StorageError, match=expected):
        load_reading(wh.side, "c")
