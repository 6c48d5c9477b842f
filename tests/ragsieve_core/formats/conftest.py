"""Golden error texts: what a user reads is kept as files, compared word for word."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ragsieve_core.errors import InputError

ERRORS = Path(__file__).parent / "errors"

ErrorText = Callable[[str, Callable[[], object], Path], None]


@pytest.fixture
def error_text() -> ErrorText:
    """``error_text(name, call, path)``: ``call`` must raise InputError whose text is ``errors/<name>.txt``.

    The folder of ``path`` is written as ``DIR`` there. UPDATE_GOLDEN=1 writes the file instead.
    """

    def check(name: str, call: Callable[[], object], path: Path) -> None:
        with pytest.raises(InputError) as raised:
            call()
        assert raised.value.exit_code == 2
        text = raised.value.render().replace(str(path.parent), "DIR") + "\n"
        golden = ERRORS / f"{name}.txt"
        if os.environ.get("UPDATE_GOLDEN") == "1":
            golden.parent.mkdir(exist_ok=True)
            golden.write_text(text, encoding="utf-8")
        assert golden.is_file(), f"no {golden.name}: run once with UPDATE_GOLDEN=1 and read what it wrote"
        assert text == golden.read_text(encoding="utf-8")

    return check
