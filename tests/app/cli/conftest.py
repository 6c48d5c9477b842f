"""Golden error texts, and a stocked warehouse at the default name."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result

from tests.small_warehouse import Small, build
from tests.warehouses import copy_warehouse

ERRORS = Path(__file__).parent / "errors"


@pytest.fixture
def expect_error() -> Callable[[Result, int, str], None]:
    """Compare exit code and error text with the golden file ``errors/NAME.txt`` (UPDATE_GOLDEN=1 rewrites it)."""

    def check(result: Result, code: int, name: str) -> None:
        text = "\n".join(line for line in result.stderr.splitlines() if line != "loading models") + "\n"
        assert "Traceback" not in result.output
        golden = ERRORS / f"{name}.txt"
        if os.environ.get("UPDATE_GOLDEN") == "1":
            golden.parent.mkdir(exist_ok=True)
            golden.write_text(text, encoding="utf-8")
        assert text == golden.read_text(encoding="utf-8")
        assert result.exit_code == code

    return check


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """A small warehouse with alerts of both detectors, made once."""
    return build(tmp_path_factory.mktemp("built") / "ragsieve.duckdb")


@pytest.fixture
def stocked(built: Small, tmp_path: Path) -> Small:
    """A copy of it at the default name in ``tmp_path``; nobody has either file open."""
    return replace(built, path=copy_warehouse(built.path, tmp_path / "ragsieve.duckdb"))
