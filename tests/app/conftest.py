"""A copy of one small warehouse for tests with a real dashboard."""

from __future__ import annotations

import shutil

import pytest

from tests.small_warehouse import Small, build


@pytest.fixture(scope="session")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """A small warehouse with alerts of both detectors; nobody has it open."""
    return build(tmp_path_factory.mktemp("built") / "w.duckdb")


@pytest.fixture(scope="module")
def own_copy(built_once: Small, tmp_path_factory: pytest.TempPathFactory) -> Small:
    """A copy of it for one module."""
    target = tmp_path_factory.mktemp("copy") / "w.duckdb"
    shutil.copyfile(built_once.path, target)
    shutil.copytree(f"{built_once.path}.d", f"{target}.d")
    return Small(target, built_once.rsq_alert, built_once.rsg_alert, built_once.hostile_document)
