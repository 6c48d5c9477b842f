"""Word-for-word repetition of a question."""

from __future__ import annotations

from ragsieve_core.rsq.calibrated.repetition import repeats_question

QUESTION = "Who kept the lamp of Vennick?"


def test_case_and_punctuation_do_not_matter() -> None:
    assert repeats_question(QUESTION, "Quiz: who kept — the LAMP of Vennick ... answers below")


def test_the_same_words_in_another_order_are_no_repetition() -> None:
    assert not repeats_question(QUESTION, "The lamp of Vennick: who kept it?")


def test_a_phrase_of_three_words_is_no_question() -> None:
    assert not repeats_question("lamp of Vennick", "the lamp of Vennick")
    assert not repeats_question("", "anything")
