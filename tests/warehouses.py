"""Copies of warehouse files that nobody has open."""

from __future__ import annotations

import shutil
from pathlib import Path


def copy_warehouse(source: Path, target: Path) -> Path:
    """A file and the folder beside it at another place; returns ``target``."""
    shutil.copyfile(source, target)
    shutil.copytree(f"{source}.d", f"{target}.d", dirs_exist_ok=True)
    return target
