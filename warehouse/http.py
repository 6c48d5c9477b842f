"""HTTP ingest as a function of plain values, for whatever server carries it; off unless the application adds the route.

``POST`` with ``Authorization: Bearer rgs.…`` and the bytes of a segment. 200 taken (now or before), 401 no valid token,
403 a kind the token may not bring, 405, 411 no length, 413 too large, 422 refused with its reason, 503 the disk.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from warehouse.database import Warehouse
from warehouse.errors import StorageError
from warehouse.inbox import Receipt, take_bytes
from warehouse.refusals import Refusal
from warehouse.segments import LIMITS, SegmentLimits
from warehouse.tokens import Scope, authenticate

_KINDS: Mapping[Scope, tuple[str, ...]] = {"ingest": ("documents", "embeddings", "scan"), "gate": ("events",)}


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What to send back: status, JSON body, further headers."""

    status: int
    body: Mapping[str, object]
    headers: Mapping[str, str] = field(default_factory=lambda: {"Cache-Control": "no-store"})

    @property
    def content(self) -> bytes:
        """Body as UTF-8 JSON."""
        return json.dumps(dict(self.body), default=str).encode()


def check_request(
    wh: Warehouse, method: str, headers: Mapping[str, str], *, limits: SegmentLimits = LIMITS
) -> HttpAnswer | None:
    """The refusal that can be given before the body is read, or None: call it before buffering anything."""
    lower = {name.lower(): value for name, value in headers.items()}
    if method.upper() != "POST":
        return HttpAnswer(405, {"error": "only POST is taken here"}, {"Allow": "POST", "Cache-Control": "no-store"})
    if _scope(wh, lower) is None:
        return HttpAnswer(401, {"error": "no valid token"}, {"WWW-Authenticate": "Bearer", "Cache-Control": "no-store"})
    length = lower.get("content-length", "")
    if not (length.isascii() and length.isdigit()):
        return HttpAnswer(411, {"error": "a Content-Length is needed"})
    if len(length) > 15 or int(length) > limits.max_bytes:
        return HttpAnswer(413, {"error": f"at most {limits.max_bytes} bytes", "reason": Refusal.TOO_LARGE})
    return None


def _scope(wh: Warehouse, lower: Mapping[str, str]) -> Scope | None:
    kind, _, token = lower.get("authorization", "").partition(" ")
    if kind.lower() != "bearer":
        return None
    return next((scope for scope in _KINDS if authenticate(wh, token.strip(), scope) is not None), None)


def handle_ingest(
    wh: Warehouse, method: str, headers: Mapping[str, str], body: bytes, *, limits: SegmentLimits = LIMITS
) -> HttpAnswer:
    """Take one segment in; sending the same bytes again is answered alike and changes nothing.

    Parameters
    ----------
    headers : names in any case.
    body : at most ``limits.max_bytes``; longer ones are refused unread.
    """
    refused = check_request(wh, method, headers, limits=limits)
    if refused is not None:
        return refused
    lower = {name.lower(): value for name, value in headers.items()}
    scope = _scope(wh, lower)
    principal = authenticate(wh, lower["authorization"].partition(" ")[2].strip(), scope) if scope else None
    if scope is None or principal is None:
        return HttpAnswer(401, {"error": "no valid token"})
    if len(body) > limits.max_bytes:
        return HttpAnswer(413, {"error": f"at most {limits.max_bytes} bytes", "reason": Refusal.TOO_LARGE})
    try:
        receipt = take_bytes(wh, body, principal=principal, route="http", limits=limits, kinds=_KINDS[scope])
    except StorageError as error:
        return HttpAnswer(503, {"error": error.what}, {"Retry-After": "30", "Cache-Control": "no-store"})
    return HttpAnswer(_status(receipt), asdict(receipt))


def _status(receipt: Receipt) -> int:
    if receipt.state == "taken":
        return 200
    return 403 if receipt.reason == Refusal.UNKNOWN_KIND else 413 if receipt.reason == Refusal.TOO_LARGE else 422
