from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.formats.duplicates import DuplicateFinder
from ragsieve_core.formats.reading import read_batches
from ragsieve_core.formats.taking import Taker


def test_same_again_and_something_else(tmp_path: Path) -> None:
    first = tmp_path / "1.jsonl"
    second = tmp_path / "2.jsonl"
    rows = [("a", "one"), ("b", "two"), ("a", "one"), ("b", "other")]
    first.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in rows))
    second.write_text(
        '{"id": "a", "text": "changed"}\n{"id": "b", "text": "two", "title": "two"}\n{"id": "c", "text": ""}\n'
    )
    finder = DuplicateFinder()
    one, two = (finder.sort(batch) for batch in read_batches([first, second], rows=4))
    assert (one.keep, one.duplicates) == ([0, 1], [2])
    assert [(c.line, c.ordinal, c.reason) for c in one.conflicts] == [
        (4, 3, "the id is already that of another text, in line 2")
    ]
    assert one.conflicts[0].raw == "b: other"
    # a title the text starts with does not change the document (METHOD, "Document text")
    assert (two.keep, two.duplicates) == ([2], [1])
    assert two.conflicts[0].reason == f"the id is already that of another text, in {first}:1"


def test_hashes_of_the_caller_are_used() -> None:
    taker = Taker()
    taker.take({"id": "a", "text": "x"}, "f", 1)
    taker.take({"id": "a", "text": "y"}, "f", 2)
    found = DuplicateFinder().sort(taker.flush(), ["same", "same"])
    assert (found.keep, found.duplicates, found.conflicts) == ([0], [1], [])


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy")), max_size=20), st.integers(1, 5))
def test_the_first_of_each_id_is_kept_and_nothing_is_lost(rows: list[tuple[str, str]], size: int) -> None:
    finder = DuplicateFinder()
    taker = Taker()
    kept: list[tuple[str, str]] = []
    counted = 0
    for place, (key, text) in enumerate(rows, 1):
        taker.take({"id": key, "text": text}, "f", place)
        if taker.pending == size or place == len(rows):
            batch = taker.flush()
            found = finder.sort(batch)
            kept += [(batch.id[row], batch.text[row]) for row in found.keep]
            counted += len(found.keep) + len(found.duplicates) + len(found.conflicts)
    first: dict[str, str] = {}
    for key, text in rows:
        first.setdefault(key, text)
    assert kept == list(first.items())
    assert counted == len(rows)
