"""Runs the real command line, in this process where speed matters and in its own where the exit code does."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli.main import main
from tests.small_warehouse import Small, build

ERRORS = Path(__file__).parent / "errors"


@pytest.fixture
def ragsieve(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Run `ragsieve ARGS` in ``tmp_path``; the result holds exit_code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Result:
        import click

        @click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
        @click.argument("rest", nargs=-1, type=click.UNPROCESSED)
        def command(rest: tuple[str, ...]) -> None:
            main(rest)

        return CliRunner().invoke(command, ["--", *arguments])

    return run


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
    target = tmp_path / "ragsieve.duckdb"
    shutil.copyfile(built.path, target)
    shutil.copytree(f"{built.path}.d", f"{target}.d")
    return Small(target, built.rsq_alert, built.rsg_alert, built.hostile_document)
