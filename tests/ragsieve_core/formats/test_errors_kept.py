"""The folder of golden error texts holds nothing that no test compares any more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

ERRORS = Path(__file__).parent / "errors"


def test_every_golden_error_text_is_used(
    request: pytest.FixtureRequest, name_of_error_text: Callable[[pytest.Item], str]
) -> None:
    config = request.config
    if config.option.keyword or config.option.markexpr or any("::" in argument for argument in config.args):
        pytest.skip("only part of the tests is selected")
    here = [item for item in request.session.items if item.path.parent == Path(__file__).parent]
    names = {name_of_error_text(item) for item in here if "error_text" in getattr(item, "fixturenames", ())}
    modules = {item.path.stem.removeprefix("test_") for item in here}
    if not {path.stem.removeprefix("test_") for path in Path(__file__).parent.glob("test_*.py")} <= modules:
        pytest.skip("not all test files of this folder are selected")
    unused = [file.name for file in ERRORS.glob("*.txt") if file.stem.partition("--")[0] not in names]
    assert unused == []
