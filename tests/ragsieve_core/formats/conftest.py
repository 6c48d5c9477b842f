"""Golden error texts: what a user reads is kept as files, compared word for word."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ragsieve_core.errors import InputError

ERRORS = Path(__file__).parent / "errors"

ErrorText = Callable[..., None]


def golden_name(item: pytest.Item) -> str:
    """``contexts.bad_record.missing_query`` for ``test_contexts.py::test_bad_record[missing_query]``."""
    function, _, parameter = item.name.removeprefix("test_").partition("[")
    parts = [item.path.stem.removeprefix("test_"), function, parameter.removesuffix("]")]
    return ".".join(part for part in parts if part)


@pytest.fixture
def error_text(request: pytest.FixtureRequest) -> ErrorText:
    """``error_text(call, path)``: ``call`` must raise InputError, its text word for word that of the golden file.

    The file is named after the test (``part`` tells several calls of one test apart); the folder of ``path`` is
    written as ``DIR`` in it. UPDATE_GOLDEN=1 writes the file instead of comparing.
    """

    def check(call: Callable[[], object], path: Path, part: str = "") -> None:
        with pytest.raises(InputError) as raised:
            call()
        assert raised.value.exit_code == 2
        text = raised.value.render().replace(str(path.parent), "DIR") + "\n"
        golden = ERRORS / f"{golden_name(request.node)}{f'--{part}' if part else ''}.txt"
        if os.environ.get("UPDATE_GOLDEN") == "1":
            golden.parent.mkdir(exist_ok=True)
            golden.write_text(text, encoding="utf-8")
        assert golden.is_file(), f"no {golden.name}: run once with UPDATE_GOLDEN=1 and read what it wrote"
        assert text == golden.read_text(encoding="utf-8")

    return check


@pytest.fixture
def name_of_error_text() -> Callable[[pytest.Item], str]:
    """:func:`golden_name`, for the test that looks for texts no test compares."""
    return golden_name
