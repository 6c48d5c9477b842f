from __future__ import annotations

import io
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ragsieve_core.errors import InputError
from ragsieve_core.formats.embeddings import read_embeddings


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "e.npy"


def unit(rows: int = 4, dimensions: int = 3) -> np.ndarray[Any, Any]:
    vectors = np.random.default_rng(0).normal(size=(rows, dimensions))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def test_unit_float32_stays_mapped_and_bit_for_bit(path: Path) -> None:
    np.save(path, unit(50, 16))
    read = read_embeddings(path, rows=50)
    assert read.note == ""
    assert isinstance(read.matrix, np.memmap)
    assert not read.matrix.flags.writeable
    assert read.matrix.tobytes() == unit(50, 16).tobytes()


def test_golden_matrix_is_untouched(shared_dir: Path) -> None:
    source = shared_dir / "golden" / "rsg_embeddings.npy"
    read = read_embeddings(source, rows=424)
    assert read.note == ""
    assert read.matrix.tobytes() == np.load(source).tobytes()


@pytest.mark.parametrize("dtype", ["<f8", ">f8", ">f4", "<f2"])
def test_other_floats_are_converted(path: Path, dtype: str) -> None:
    np.save(path, unit(40, 8).astype(dtype))
    read = read_embeddings(path, rows=40)
    assert read.matrix.dtype == np.float32
    assert read.matrix.dtype.isnative
    assert read.note.startswith("converted from float")
    np.testing.assert_allclose(read.matrix, unit(40, 8), atol=1e-3)
    np.testing.assert_allclose(np.linalg.norm(read.matrix.astype(np.float64), axis=1), 1, atol=1e-6)


def test_only_rows_off_unit_length_change(path: Path) -> None:
    vectors = unit(6, 8)
    vectors[2] *= np.float32(3)
    vectors[4] *= np.float32(1.0001)
    np.save(path, vectors)
    read = read_embeddings(path, rows=6)
    assert read.note.startswith("normalised 2 of 6 rows to unit length (lengths were 1.0001 to 3)")
    kept = [0, 1, 3, 5]
    assert read.matrix[kept].tobytes() == vectors[kept].tobytes()
    expected = vectors[2].astype(np.float64) / np.sqrt((vectors[2].astype(np.float64) ** 2).sum())
    np.testing.assert_array_max_ulp(read.matrix[2], expected.astype(np.float32), maxulp=1)


def test_extreme_lengths_keep_their_direction(path: Path) -> None:
    np.save(path, np.array([[3e300, 4e300], [3e-300, 4e-300], [0.6, 0.8]]))
    np.testing.assert_allclose(read_embeddings(path, rows=3).matrix, [[0.6, 0.8]] * 3, rtol=1e-6)


def test_rows_may_be_left_open(path: Path) -> None:
    np.save(path, unit(7, 2))
    assert read_embeddings(path).matrix.shape == (7, 2)


def _rows(**changed: tuple[int, float]) -> np.ndarray[Any, Any]:
    vectors = unit(9, 4)
    for row, value in changed.values():
        vectors[row] = value
    return vectors


MATRICES = {
    "wrong_rows": unit(3, 3),
    "one_dimension": np.ones(4, dtype=np.float32),
    "three_dimensions": np.ones((9, 2, 2), dtype=np.float32),
    "no_columns": np.ones((9, 0), dtype=np.float32),
    "no_rows": np.ones((0, 4), dtype=np.float32),
    "nan": _rows(a=(3, np.nan), b=(7, np.nan)),
    "infinite": _rows(a=(0, -np.inf)),
    "zero": _rows(a=(1, 0.0), b=(2, 0.0)),
    "many_nan": np.full((9, 4), np.nan, dtype=np.float32),
    "integers": np.ones((9, 4), dtype=np.int64),
    "complex": np.ones((9, 4), dtype=np.complex64),
    "structured": np.zeros(9, dtype=[("x", "f4")]),
    "fortran": np.asfortranarray(unit(9, 4)),
    "longdouble": np.ones((9, 4), dtype=np.longdouble),
}


@pytest.mark.parametrize("name", MATRICES)
def test_bad_matrix(name: str, path: Path, error_text: Any) -> None:
    np.save(path, MATRICES[name])
    error_text(lambda: read_embeddings(path, rows=9), path)


def test_not_unit_is_an_error_if_asked(path: Path, error_text: Any) -> None:
    np.save(path, unit(9, 4) * np.float32(2))
    error_text(lambda: read_embeddings(path, rows=9, normalise=False), path)


class Harm:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("harm",)


def _bytes(array: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


RAW = {
    "empty_file": b"",
    "not_npy": b"PK\x03\x04 this is a zip",
    "text": b"0.1 0.2 0.3\n",
    "truncated": _bytes(unit(9, 4))[:-7],
    "cut_header": _bytes(unit(9, 4))[:20],
    "broken_header": _bytes(unit(9, 4)).replace(b"descr", b"d\xffscr"),
    "future_version": b"\x93NUMPY\x09\x00" + _bytes(unit(9, 4))[8:],
    "objects": _bytes(np.array([Harm()], dtype=object), allow_pickle=True),
    "pickle": pickle.dumps(Harm()),
    "negative_shape": _bytes(unit(9, 4)).replace(b"(9, 4)", b"(9,-4)"),
    "huge_shape": _bytes(unit(9, 4)).replace(b"(9, 4), }     ", b"(9, 9999999) }"),
}


@pytest.mark.parametrize("name", RAW)
def test_bad_bytes(name: str, path: Path, error_text: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    path.write_bytes(RAW[name])
    error_text(lambda: read_embeddings(path, rows=9), path)
    assert not (path.parent / "harm").exists()


def test_missing(path: Path, error_text: Any) -> None:
    error_text(lambda: read_embeddings(path, rows=9), path)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200) | st.binary(max_size=200).map(lambda tail: _bytes(unit(9, 4))[:128] + tail))
def test_random_bytes_never_escape(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("npy") / "e.npy"
    path.write_bytes(content)
    try:
        matrix = read_embeddings(path, rows=9).matrix
    except InputError:
        return
    np.testing.assert_allclose(np.linalg.norm(matrix.astype(np.float64), axis=1), 1, atol=1e-6)


@settings(max_examples=100, deadline=None)
@given(hnp.arrays(np.float64, (5, 3), elements=st.floats(allow_nan=True, allow_infinity=True)))
def test_any_matrix_is_unit_or_refused(tmp_path_factory: pytest.TempPathFactory, matrix: np.ndarray[Any, Any]) -> None:
    path = tmp_path_factory.mktemp("npy") / "e.npy"
    np.save(path, matrix)
    fine = np.isfinite(matrix).all() and (matrix != 0).any(axis=1).all()
    if not fine:
        with pytest.raises(InputError):
            read_embeddings(path, rows=5)
        return
    read = read_embeddings(path, rows=5).matrix
    np.testing.assert_allclose(np.linalg.norm(read.astype(np.float64), axis=1), 1, atol=1e-6)
