from __future__ import annotations

import hashlib

import numpy as np
import pytest

from ragsieve_core.errors import InputError
from tests.warehouse.builders import documents
from warehouse.database import Warehouse
from warehouse.embeddings import add_embeddings, verify_segments
from warehouse.encoders import list_encoders
from warehouse.errors import StorageError
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.records import EncoderSpec
from warehouse.snapshots import load_snapshot

ENCODER = EncoderSpec("enc", "small", 3)


def _matrix(rows: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, 3), dtype=np.float32)


def test_one_file_comes_back_as_a_map_of_itself(wh: Warehouse, me: Principal) -> None:
    result = ingest(wh, "c", [documents(5)], principal=me)
    matrix = _matrix(5)
    segment = add_embeddings(wh, str(result.snapshot), ENCODER, matrix, principal=me)
    assert segment is not None
    assert hashlib.sha256((wh.side.root / segment.file).read_bytes()).hexdigest() == segment.segment_id
    assert np.array_equal(np.load(wh.side.root / segment.file, allow_pickle=False), matrix)
    loaded = load_snapshot(wh, str(result.snapshot), principal=me, encoder="enc")
    assert isinstance(loaded.embeddings, np.memmap)
    assert np.array_equal(loaded.embeddings, matrix)
    assert add_embeddings(wh, str(result.snapshot), ENCODER, matrix, principal=me) is None


def test_several_files_are_put_together_in_order(wh: Warehouse, me: Principal) -> None:
    first = ingest(wh, "c", [documents(4)], principal=me)
    versions = load_snapshot(wh, str(first.snapshot), principal=me).version_ids
    matrix = _matrix(4)
    for rows in ([3, 1], [0], [2]):
        add_embeddings(wh, str(first.snapshot), ENCODER, matrix[rows], principal=me, version_ids=versions[rows])
    loaded = load_snapshot(wh, str(first.snapshot), principal=me, encoder="enc")
    assert loaded.embeddings is not None
    assert np.array_equal(loaded.embeddings, matrix)
    assert list_encoders(wh, principal=me)[0]["vectors"] == 4


def test_a_later_snapshot_lacks_only_what_is_new(wh: Warehouse, me: Principal) -> None:
    first = ingest(wh, "c", [documents(3)], principal=me, embeddings=_matrix(3), encoder=ENCODER)
    second = ingest(wh, "c", [documents(2, start=3)], principal=me)
    loaded = load_snapshot(wh, str(second.snapshot), principal=me, encoder="enc")
    assert loaded.embeddings is None
    assert loaded.missing.tolist() == [3, 4]
    extra = _matrix(2, 1)
    add_embeddings(
        wh, str(second.snapshot), ENCODER, extra, principal=me, version_ids=loaded.version_ids[loaded.missing]
    )
    both = load_snapshot(wh, str(second.snapshot), principal=me, encoder="enc").embeddings
    assert np.array_equal(both, np.concatenate([_matrix(3), extra]))
    assert np.array_equal(load_snapshot(wh, str(first.snapshot), principal=me, encoder="enc").embeddings, _matrix(3))


def test_strangers_and_repetitions_are_refused(wh: Warehouse, me: Principal) -> None:
    result = ingest(wh, "c", [documents(2)], principal=me)
    for versions in ([1, 1], [1, 99]):
        with pytest.raises(InputError):
            add_embeddings(wh, str(result.snapshot), ENCODER, _matrix(2), principal=me, version_ids=np.array(versions))


def test_damage_and_loss_are_named(wh: Warehouse, me: Principal) -> None:
    result = ingest(wh, "c", [documents(3)], principal=me, embeddings=_matrix(3), encoder=ENCODER)
    assert verify_segments(wh) == []
    (path,) = (wh.side.root / "embeddings").rglob("*.npy")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    (problem,) = verify_segments(wh)
    assert path.name in problem
    path.unlink()
    assert "No such file" in verify_segments(wh)[0]
    with pytest.raises(StorageError, match="gone or unreadable"):
        load_snapshot(wh, str(result.snapshot), principal=me, encoder="enc")
