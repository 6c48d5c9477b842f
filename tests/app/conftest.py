"""The command line in this process, and a copy of one small warehouse for tests with a real dashboard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli.main import main
from tests.small_warehouse import Small, build
from tests.warehouses import copy_warehouse


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


@pytest.fixture(scope="session")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """A small warehouse with alerts of both detectors; nobody has it open."""
    return build(tmp_path_factory.mktemp("built") / "w.duckdb")


@pytest.fixture(scope="module")
def own_copy(built_once: Small, tmp_path_factory: pytest.TempPathFactory) -> Small:
    """A copy of it for one module."""
    return replace(built_once, path=copy_warehouse(built_once.path, tmp_path_factory.mktemp("copy") / "w.duckdb"))
