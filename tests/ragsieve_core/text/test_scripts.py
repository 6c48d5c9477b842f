"""Scripts by hand; profile against a plain per-character count."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.text.scripts import coarse_script, script_profile, script_runs


def test_coarse_scripts() -> None:
    assert [coarse_script(c) for c in "aЖعאन中かカ한ΩʻԱ5 "] == [
        "LATIN",
        "CYRILLIC",
        "ARABIC",
        "HEBREW",
        "DEVANAGARI",
        "EAST_ASIAN",
        "EAST_ASIAN",
        "EAST_ASIAN",
        "EAST_ASIAN",
        "GREEK",
        "OTHER",
        "ARMENIAN",
        None,
        None,
    ]


def test_runs() -> None:
    text = "ab, cd Москва x"
    assert [(r.script, text[r.start : r.end], r.letters) for r in script_runs(text)] == [
        ("LATIN", "ab, cd", 4),
        ("CYRILLIC", "Москва", 6),
        ("LATIN", "x", 1),
    ]


@given(st.text(alphabet="abЖ中 1ʻé"))
def test_profile_equals_a_plain_count(text: str) -> None:
    letters = [coarse_script(c) for c in text]
    known = [s for s in letters if s]
    profile = script_profile(text)
    assert dict(profile.counts) == {s: known.count(s) for s in set(known)}
    assert profile.mixed_fraction == (1 - max(known.count(s) for s in set(known)) / len(known) if known else 0.0)
    assert profile.transitions == sum(1 for a, b in pairwise(letters) if a and b and a != b)
    assert sum(r.letters for r in script_runs(text)) == len(known)
