"""Folders of the server from which an admin may take documents in."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from ragsieve_core.errors import InputError
from warehouse.principal import Principal

VARIABLE: Final = "RAGSIEVE_IMPORT_ROOTS"


def import_roots() -> tuple[Path, ...]:
    """The folders of ``RAGSIEVE_IMPORT_ROOTS``, separated as in ``PATH``; none by default."""
    return tuple(Path(os.path.realpath(name)) for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name)


def allowed_path(text: str, principal: Principal) -> Path:
    """A file or folder below an import root, links resolved.

    Raises
    ------
    RefusedError
        the caller is no admin.
    InputError
        no roots are configured, or the path leads elsewhere. It does not say whether anything is there.
    """
    principal.require_person("admin", "take in a path of the server")
    roots = import_roots()
    if not roots:
        raise InputError(
            "no import root is configured", where="path", do="start `ragsieve serve --import-root FOLDER`, or upload"
        )
    real = Path(os.path.realpath(text))
    if not any(real.is_relative_to(root) for root in roots):
        raise InputError("this path is outside the import roots", where="path", expected=", ".join(map(str, roots)))
    if not real.exists():
        raise InputError("there is nothing at this path", where="path", do="check the name")
    return real
