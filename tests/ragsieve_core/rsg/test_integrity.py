"""Integrity flags by hand, the false ones of the published rule included: `paper` keeps them exactly."""

import pytest

from ragsieve_core.rsg.config import RSGConfig
from ragsieve_core.rsg.integrity import integrity


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("plain words", 0),
        ("", 0),
        ("Москва and Moscow", 0),  # two scripts, never adjacent
        ("Моscow", 1),  # Cyrillic next to Latin inside a word
        ("Москва, Athens, Αθήνα", 1),  # three scripts
        ("Hawaiʻi", 1),  # a modifier letter is OTHER: a known false flag of the published rule
        ("5 µm", 1),  # micro sign next to m: likewise
        ("RNA聚合酶", 1),
    ],
)
def test_by_hand(text: str, flag: int) -> None:
    assert integrity([text], RSGConfig()).tolist() == [flag]
