from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.formats.compression import Limits
from ragsieve_core.formats.lines import read_lines, split_lines, utf8_blocks

ENCODINGS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


def blocks_of(content: bytes, size: int) -> list[bytes]:
    return [content[start : start + size] for start in range(0, len(content), size)]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_byte_order_mark_decides(encoding: str, size: int) -> None:
    text = 'ß 中文 🜁 "x"\r\nsecond\n'
    content = ENCODINGS[encoding] + text.encode(encoding)
    assert b"".join(utf8_blocks(blocks_of(content, size))) == text.encode()


def test_without_a_mark_bytes_pass_untouched() -> None:
    content = b"\xe9 not utf-8 \xff\xfe"
    assert b"".join(utf8_blocks([content])) == content


@pytest.mark.parametrize(
    ("encoding", "bad"),
    [("utf-16-le", b"\x00\xd8"), ("utf-32-le", b"\x00\x00\x11\x00"), ("utf-32-be", b"\x00\x00\xd8\x00")],
)
def test_an_undecodable_unit_spoils_its_line_only(encoding: str, bad: bytes) -> None:
    good = "good\n".encode(encoding)
    content = ENCODINGS[encoding] + good + bad + good + good
    lines = b"".join(utf8_blocks([content])).split(b"\n")
    assert [lines[0], lines[2], lines[3]] == [b"good", b"good", b""]
    with pytest.raises(UnicodeDecodeError):
        lines[1].decode("utf-8")


def test_a_cut_unit_at_the_end_is_marked() -> None:
    lines = b"".join(utf8_blocks([codecs.BOM_UTF16_LE + "a\n".encode("utf-16-le") + b"b"])).split(b"\n")
    assert lines[0] == b"a"
    with pytest.raises(UnicodeDecodeError):
        lines[1].decode("utf-8")


def test_line_ends() -> None:
    content = "a\nb\r\nc\rd\u2028e\x0bf\n\n\r\ng".encode()
    assert list(split_lines([content], 100)) == [
        (1, b"a"),
        (2, b"b"),
        (3, "c\rd\u2028e\x0bf".encode()),
        (4, b""),
        (5, b""),
        (6, b"g"),
    ]


def test_only_the_long_line_is_left_out() -> None:
    content = b"short\n" + b"x" * 50 + b"\nshort\n" + b"y" * 50
    for size in (1, 7, 1000):
        assert list(split_lines(blocks_of(content, size), 10)) == [(1, b"short"), (2, None), (3, b"short"), (4, None)]


@given(st.binary(max_size=80), st.integers(1, 20), st.integers(1, 30))
def test_blocks_do_not_matter(content: bytes, size: int, longest: int) -> None:
    whole = content.split(b"\n")
    if not whole[-1]:
        whole.pop()
    expected = [None if len(line) > longest else line.removesuffix(b"\r") for line in whole]
    found = list(split_lines(blocks_of(content, size), longest))
    assert [number for number, _ in found] == list(range(1, len(expected) + 1))
    assert [line for _, line in found] == expected


def test_reads_a_file(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(codecs.BOM_UTF16_BE + "one\ntwo".encode("utf-16-be"))
    assert list(read_lines(path, Limits(max_line_bytes=10))) == [(1, b"one"), (2, b"two")]
    path.write_bytes(b"")
    assert list(read_lines(path)) == []
    path.write_bytes(codecs.BOM_UTF8)
    assert list(read_lines(path)) == []
