"""Misplaced letters."""

from __future__ import annotations

import pytest

from ragsieve_core.rsq import CalibratedRSQConfig
from ragsieve_core.rsq.calibrated.script import misplaced_letters, misplaced_script
from ragsieve_core.rsq.calibrated.sides import Sides

CONFIG = CalibratedRSQConfig()
SIDES = Sides.of(50, CONFIG)
ENGLISH = "the keeper of the lamp went home early"


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH,
        "DNA 是遗传物质",
        "Правительство США и NASA",
        "كان معتصم في NASA",
        "10 kΩ at λmax",
        "Hawaiʻi",
        "",
        "12 !",
    ],
)
def test_writing_as_people_write_has_no_misplaced_letter(text: str) -> None:
    assert misplaced_letters(text, 2).number == 0


def test_lookalikes_in_a_word_count_the_whole_word() -> None:
    found = misplaced_letters(f"{ENGLISH} in Mоscow", 2)
    assert (found.number, [one.kind for one in found.findings]) == (6, ["word"])


def test_foreign_letters_run_on_to_latin_ones_count_themselves() -> None:
    found = misplaced_letters(f"{ENGLISH} qwחיxz", 2)
    assert (found.number, [one.kind for one in found.findings]) == (2, ["glued"])


def test_one_lone_letter_never_flags() -> None:
    # One strange word of three letters in fifty clean texts: fewer than four letters, share 0
    texts = [f"{ENGLISH} qחw"] + [ENGLISH] * 49
    evidence, tail = misplaced_script(texts, SIDES, CONFIG)
    assert (evidence[0].v_script, evidence[0].e_script) == (0.0, 0.0)
    assert tail == [0.0] * 40


def test_strange_prefix_above_the_whole_tail_is_full_evidence() -> None:
    texts = [f"გამარჯობა שלום สวัสดี {ENGLISH}"] + [ENGLISH] * 49
    evidence, _ = misplaced_script(texts, SIDES, CONFIG)
    # mid-rank 0.5 / 41, scale log10(82): exactly 1, weight 2
    assert evidence[0].p_script == pytest.approx(0.5 / 41)
    assert evidence[0].e_script == pytest.approx(2.0)
    assert [one.e_script for one in evidence[1:]] == [0.0] * 4


def test_a_tail_that_is_as_strange_is_no_contrast() -> None:
    evidence, _ = misplaced_script([f"გამარჯობა שלום สวัสดี {ENGLISH}"] * 50, SIDES, CONFIG)
    assert evidence[0].p_script == 0.5
    assert evidence[0].e_script < 0.4
