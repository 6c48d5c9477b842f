"""Questions to the owner as segments."""

from __future__ import annotations

import secrets

from warehouse.segments import encode


def scan_request(**key: str | None) -> bytes:
    """Ask the owner whether an equal scan is stored; the arguments are those of ``find_scan``."""
    return encode("request", {"want": "scan", **key, "nonce": secrets.token_hex(8)}, {})


def snapshot_request(corpus: str = "", snapshot: str = "", encoder: str | None = None) -> bytes:
    """Ask the owner to write a snapshot's files; a nonce makes every question another segment."""
    fields = {"want": "snapshot", "corpus": corpus, "snapshot": snapshot, "encoder": encoder}
    return encode("request", fields | {"nonce": secrets.token_hex(8)}, {})
