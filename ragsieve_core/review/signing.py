"""Signed messages to an index: what is sent, how it is signed and checked, and where it may go."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from ragsieve_core.errors import InputError

SIGNATURE = "X-Ragsieve-Signature"
TIMESTAMP = "X-Ragsieve-Timestamp"
NONCE = "X-Ragsieve-Nonce"
WINDOW_S = 300.0
"""Seconds by which a message's time may differ from the receiver's."""


@dataclass(frozen=True, slots=True)
class Target:
    """A webhook's address: https, a host name or address, a port and a path with query."""

    host: str
    port: int
    path: str

    @property
    def shown(self) -> str:
        """The address without its query, which may hold a secret."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == 443 else f":{self.port}"
        return f"https://{host}{port}{self.path.partition('?')[0]}"


def parse_target(url: str) -> Target:
    """The address in ``url``.

    Raises
    ------
    InputError
        not https, no host, credentials, a fragment, or control characters in it.
    """
    problem = ""
    if not url.isascii() or any(ord(character) <= 32 or ord(character) == 127 for character in url):
        problem = "spaces, control or non-ASCII characters in it"
    try:
        parts = urlsplit(url)
        port = parts.port or 443
    except ValueError:
        raise InputError("no address of a webhook", where="url", expected="https://host/path") from None
    if parts.scheme != "https":
        problem = problem or f"the scheme {parts.scheme or 'nothing'!r}"
    if parts.username is not None or parts.password is not None or parts.fragment:
        problem = problem or "credentials or a fragment in it"
    if problem or not parts.hostname:
        raise InputError(f"no address of a webhook: {problem or 'no host'}", where="url", expected="https://host/path")
    return Target(parts.hostname, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else ""))


def public_addresses(addresses: Iterable[str], *, allowed: Iterable[str] = ()) -> list[str]:
    """The addresses, all of which must be public or within ``allowed`` networks (CIDR).

    All, not some: a name that also leads inside could be made to lead there alone a moment later.

    Raises
    ------
    InputError
        none at all, or one that is private, loopback, link-local, multicast, reserved or otherwise not global.
    """
    networks = [ipaddress.ip_network(entry) for entry in allowed]
    found = []
    for text in addresses:
        address = ipaddress.ip_address(text)
        inner = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
        judged = inner or address
        if not (judged.is_global and not judged.is_multicast) and not any(judged in network for network in networks):
            raise InputError(
                f"the webhook leads to {text}, which is no public address",
                where="url",
                expected="a public address, or its network in the list of allowed ones",
            )
        found.append(text)
    if not found:
        raise InputError("the webhook's host has no address", where="url")
    return found


def sign(secret: bytes, timestamp: int, nonce: str, body: bytes) -> str:
    """``v1=`` + HMAC-SHA256 (hex) over ``v1.<timestamp>.<nonce>.<body>``.

    Parameters
    ----------
    secret : at least 16 bytes.
    timestamp : seconds since 1970 (UTC).
    """
    if len(secret) < 16:
        raise InputError("the secret is too short", where="secret", expected="at least 16 bytes")
    message = b"v1." + str(timestamp).encode() + b"." + nonce.encode() + b"." + body
    return "v1=" + hmac.new(secret, message, hashlib.sha256).hexdigest()


def check(secret: bytes, timestamp: str, nonce: str, signature: str, body: bytes, now: float) -> str:
    """What is wrong with a received message; empty where nothing is. The receiver must refuse a nonce that it has seen
    within the window."""
    if not timestamp.isascii() or not timestamp.isdigit() or abs(now - int(timestamp)) > WINDOW_S:
        return "too old, or from the future"
    if not nonce or "." in nonce:
        return "no nonce"
    good = sign(secret, int(timestamp), nonce, body)
    return "" if hmac.compare_digest(good.encode(), signature.encode()) else "the signature does not fit"
