"""One key for a frozen configuration, over every field."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import Any


def config_dict(config: Any) -> dict[str, Any]:
    """Fields of a configuration dataclass as plain JSON values, its class name under ``kind``."""
    if not dataclasses.is_dataclass(config) or isinstance(config, type):
        raise TypeError(f"expected a configuration dataclass instance, got {type(config).__name__}")
    return {"kind": type(config).__name__, **dataclasses.asdict(config)}


def config_key(config: Any) -> str:
    """First 16 hex digits of the SHA-256 of the configuration as canonical JSON.

    Two configurations share a key only if every field is equal.
    """
    canonical = json.dumps(config_dict(config), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]
