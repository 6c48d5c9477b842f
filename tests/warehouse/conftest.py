"""Warehouses in temporary folders, and other processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from warehouse.database import Warehouse
from warehouse.principal import Principal

ADMIN = Principal("ada", "admin")


@pytest.fixture
def me() -> Principal:
    return ADMIN


@pytest.fixture
def wh(tmp_path: Path, new_warehouse: Callable[[Path], Path]) -> Iterator[Warehouse]:
    with Warehouse.open(new_warehouse(tmp_path / "test.duckdb"), command="pytest") as opened:
        yield opened


@pytest.fixture
def python() -> Callable[..., subprocess.Popen[str]]:
    """Start a Python process on a piece of code; standard output as text."""
    started: list[subprocess.Popen[str]] = []

    def start(code: str, *arguments: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()
