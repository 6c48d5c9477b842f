"""Fixtures shared by all tests: where golden numbers and third-party text lie."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from tests.warehouses import copy_warehouse

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
if "PYTEST_XDIST_WORKER" in os.environ:
    # Workers that each use every core spin against one another; set before torch or numpy is loaded
    cores = os.cpu_count() or 1
    share = max(1, cores // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
    os.environ.setdefault("OMP_NUM_THREADS", str(share))

# A busy machine is no fault of the code under test: time is judged by benchmarks, as ratios
settings.register_profile("ragsieve", deadline=None)
settings.load_profile("ragsieve")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests in a browser first: a long one at the end would keep one worker busy while the others have nothing left."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)


ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def golden_dir() -> Path:
    """Golden numbers kept in the repository: never skipped."""
    return ROOT / "tests" / "golden"


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Third-party text beside the repository: a test on it skips where it is absent, and fails where CI=true."""
    if not (SHARED / "golden").is_dir():
        message = "the third-party test text is not beside the repository (folder 'shared')"
        if os.environ.get("CI") == "true":
            pytest.fail(message + "; CI must have it")
        pytest.skip(message)
    return SHARED


@pytest.fixture(scope="session")
def empty_warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse with every migration and no document; nobody has it open."""
    from warehouse.database import Warehouse

    path = tmp_path_factory.mktemp("empty") / "w.duckdb"
    Warehouse.open(path, command="pytest").close()
    return path


@pytest.fixture
def new_warehouse(empty_warehouse: Path) -> Callable[[Path], Path]:
    """Puts a copy of it at a path: applying every migration takes longer than most tests do."""
    return lambda path: copy_warehouse(empty_warehouse, path)
