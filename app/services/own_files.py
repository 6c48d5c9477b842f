"""Files of a warehouse that no output may be written over."""

from __future__ import annotations

import os
from pathlib import Path

from ragsieve_core.errors import InputError
from warehouse.side import Side


def refuse_own_file(target: Path, database: Path, *, where: str) -> Path:
    """The absolute path of an output, unless it is the warehouse or lies among its files, under whatever name.

    Opening the live file for writing would not only damage it: closing it again drops DuckDB's lock.

    Parameters
    ----------
    target : file to write or append to; need not exist.
    database : resolved path of the warehouse.
    where : option that named the target.

    Raises
    ------
    InputError
        the warehouse, its log or lock, anything in its folder, or a folder that does not exist.
    """
    side = Side(database)
    real = Path(os.path.realpath(target))
    own = (side.database, side.wal, side.lock)
    same = any(real == file or (real.exists() and file.exists() and os.path.samefile(real, file)) for file in own)
    if same or real.is_relative_to(side.root):
        raise InputError(
            "this file belongs to the warehouse", where=f"{where} {target}", expected="a file elsewhere", do="rename it"
        )
    if not real.parent.is_dir():
        raise InputError("no such folder", where=f"{where} {real.parent}", do=f"mkdir -p {real.parent}")
    if real.is_dir():
        raise InputError("this is a folder", where=f"{where} {target}", expected="a file")
    return Path(os.path.abspath(target))
