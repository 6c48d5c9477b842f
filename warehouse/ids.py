"""Names of rows: short, readable; sortable by time where random, a hash where a re-run must find them again."""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from datetime import UTC, datetime

_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"


def _base32(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 32)
        digits.append(_CROCKFORD[digit])
    return "".join(reversed(digits))


def new_id(kind: str) -> str:
    """``kind_`` + 9 characters of the millisecond + 7 random ones; ids made later sort later."""
    return f"{kind}_{_base32(time.time_ns() // 1_000_000, 9)}{_base32(secrets.randbits(35), 7)}"


def derived_id(kind: str, *parts: str) -> str:
    """``kind_`` + 80 bits of the SHA-256 over the parts, joined by the unit separator (U+001F)."""
    return f"{kind}_{hashlib.sha256(chr(31).join(parts).encode('utf-8', 'surrogatepass')).hexdigest()[:20]}"


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no spaces: equal values give equal bytes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def utc_now() -> datetime:
    """Now as a naive UTC datetime: DuckDB's TIMESTAMP holds UTC by convention here, so no time zone data is needed."""
    return datetime.now(UTC).replace(tzinfo=None)
