from __future__ import annotations

import gzip
import subprocess
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.errors import InputError
from ragsieve_core.formats.compression import Limits, compression_of
from ragsieve_core.formats.safe_open import read_blocks

TEXT = b"".join(b"line %d of some text\n" % number for number in range(20_000))


def pack(kind: str, content: bytes) -> bytes:
    return gzip.compress(content) if kind == "gzip" else zstandard.compress(content)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "in"


def read(path: Path, limits: Limits | None = None) -> bytes:
    return b"".join(read_blocks(path, limits or Limits()))


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_decompresses_whatever_the_name(kind: str, path: Path) -> None:
    path.write_bytes(pack(kind, TEXT))
    assert read(path) == TEXT


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_several_members_are_one_file(kind: str, path: Path) -> None:
    path.write_bytes(pack(kind, TEXT) + pack(kind, b"") + pack(kind, b"tail"))
    assert read(path) == TEXT + b"tail"


def test_what_the_command_line_tools_write(path: Path) -> None:
    path.write_bytes(TEXT)
    for command, ending in (("gzip", ".gz"), ("zstd", ".zst")):
        try:
            subprocess.run([command, "-kfq", str(path)], check=True)
        except FileNotFoundError:
            pytest.skip(f"no {command} here")
        assert read(path.with_name(path.name + ending)) == TEXT


def test_zero_padding_after_gzip_is_ignored(path: Path) -> None:
    path.write_bytes(gzip.compress(b"x") + b"\0" * 5000)
    assert read(path) == b"x"


def test_zstd_with_a_skippable_frame_first(path: Path) -> None:
    path.write_bytes(b"\x5a\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc" + zstandard.compress(b"x"))
    assert read(path) == b"x"


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
@pytest.mark.parametrize("fault", ["cut", "cut_checksum", "flipped", "garbage_after"])
def test_damaged(kind: str, fault: str, path: Path, error_text: Any) -> None:
    whole = pack(kind, TEXT) if kind == "gzip" else zstandard.ZstdCompressor(write_checksum=True).compress(TEXT)
    middle = len(whole) // 2
    path.write_bytes(
        {
            "cut": whole[:middle],
            "cut_checksum": whole[:-2],
            "flipped": whole[:-6] + bytes([whole[-6] ^ 0xFF]) + whole[-5:] if kind == "gzip" else whole[:-1] + b"\0",
            "garbage_after": whole + b"garbage",
        }[fault]
    )
    error_text(lambda: read(path), path)


def test_zip_bomb_by_ratio(path: Path, error_text: Any) -> None:
    path.write_bytes(gzip.compress(b"\0" * (20 << 20)))
    limits = Limits(ratio_from_bytes=8 << 20)
    error_text(lambda: read(path, limits), path)


def test_zip_bomb_by_size(path: Path, error_text: Any) -> None:
    path.write_bytes(gzip.compress(TEXT))
    error_text(lambda: read(path, Limits(max_bytes=100_000)), path)


def test_small_files_may_compress_well(path: Path) -> None:
    path.write_bytes(gzip.compress(b"\0" * (4 << 20)))
    assert len(read(path)) == 4 << 20


def test_a_zstd_bomb_never_holds_much_memory(path: Path) -> None:
    block = zstandard.compress(b"\0" * (256 << 20), 3)
    path.write_bytes(block * 8)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="zip bomb"):
            for _ in read_blocks(path):
                pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100 << 20


def test_a_zstd_window_above_the_limit_is_refused(path: Path) -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=28, compression_level=1)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    path.write_bytes(compressor.compress(TEXT) + compressor.flush())
    with pytest.raises(InputError, match="the zstd data is damaged"):
        read(path)


@pytest.mark.parametrize("name", ["max_line_bytes", "max_bytes", "max_ratio", "ratio_from_bytes"])
def test_limits_are_positive(name: str) -> None:
    with pytest.raises(InputError, match=name):
        Limits(**{name: 0})


def test_names_do_not_count() -> None:
    assert compression_of(b"") == ""
    assert compression_of(b"\x1f") == ""
    assert compression_of(b'{"id"') == ""


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["gzip", "zstd"]), st.integers(0, 400), st.integers(0, 255))
def test_any_change_is_noticed_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, kind: str, place: int, value: int
) -> None:
    whole = bytearray(
        gzip.compress(content, mtime=0)
        if kind == "gzip"
        else zstandard.ZstdCompressor(write_checksum=True).compress(content)
    )
    place %= len(whole)
    whole[place] = value
    path = tmp_path_factory.mktemp("z") / "in"
    path.write_bytes(whole)
    try:
        read_back = read(path)
    except InputError:
        return
    # A changed magic makes it a plain file; other bytes that may change without harm are header fields.
    assert read_back == content or compression_of(bytes(whole[:4])) == "" or kind == "zstd"
    if kind == "gzip" and compression_of(bytes(whole[:4])):
        assert zlib.crc32(read_back) == zlib.crc32(content)
