"""Segments of one run of a command."""

from __future__ import annotations

import secrets

from warehouse.segments import decode, encode


def as_new_delivery(data: bytes) -> bytes:
    """The same segment under an id of its own.

    A segment is taken in once by its bytes, so that a lost answer can be asked for by sending it again. But a person who
    runs `ingest` on the same file again means it: the file may bring back an earlier text, and they want to be told what
    was there already.
    """
    segment = decode(data)
    return encode(segment.kind, {**segment.fields, "delivery": secrets.token_hex(8)}, dict(segment.tables))
